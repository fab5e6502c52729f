// How a rank waits for a peer on the host: spins, then yields, then sleeps, never for ever, and lets MPI work
// meanwhile.
#pragma once

#include <chrono>
#include <cstdint>

#include "lib/bootstrap.hpp"

namespace qr {

/// Set up once a communicator.
struct WaitPolicy {
  std::chrono::milliseconds timeout{300000};
  int spins = 0;                   // polls before the first yield; few where ranks outnumber cores
  Bootstrap* bootstrap = nullptr;  // progress() is called while waiting; may be null
};

/// The policy for `ranks` ranks on this machine.
WaitPolicy make_wait_policy(int ranks, std::chrono::milliseconds timeout, Bootstrap* bootstrap);

/// One wait that has outlasted its spinning. pause() until it returns false: then the time is over.
class Patience {
 public:
  explicit Patience(const WaitPolicy& policy);
  bool pause();

 private:
  const WaitPolicy& policy_;
  std::chrono::steady_clock::time_point begin_;
  std::uint32_t rounds_ = 0;
};

/// Tells the core that this is a spin loop.
inline void relax_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace qr
