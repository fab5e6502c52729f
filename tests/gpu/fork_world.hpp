// Ranks as forked processes: starts them, gives them a Bootstrap over shared memory, and adds up what they
// found wrong.
#pragma once

#include <functional>
#include <string>

#include "lib/bootstrap.hpp"

namespace qr::test {

/// A rank's view of the world: collectives, and a place for complaints.
class World : public Bootstrap {
 public:
  virtual void barrier() = 0;
  /// Prints "rank 1: text" (the first few of a rank) and makes the test fail.
  virtual void complain(const std::string& text) = 0;
};

/// Runs `body` in `ranks` processes; true when all ended by themselves within `seconds` (more on a slower
/// device: effort.hpp), and none complained or threw. With QR_TEST_RANKS=threads the ranks are threads of
/// this process, without a time limit; each needs a device of its own, for on one they would share the
/// default stream. Ends the program with 77 where there is no device. Call it before the parent process
/// touches the device: a device does not survive a fork.
bool run_ranks(int ranks, int seconds, const std::function<void(World&)>& body);

}  // namespace qr::test
