// Times several collective calls in turn, so that all of them see the same minute of the machine.
#pragma once

#include <functional>
#include <vector>

#include "mpi_support.hpp"

namespace qr::bench {

struct TimingOptions {
  int warmup = 3;        // calls of each contestant that are not counted
  int iterations = 0;    // samples of each contestant; 0: as many as fit in `seconds`, at least 5
  int batch = 0;         // calls in a sample; 0: as many as take 20 us, at most 64
  double seconds = 0.3;  // for each contestant
};

/// A call on which to spend time, and what must happen before each of its samples, outside the measured time.
struct Contestant {
  std::function<void()> call;
  std::function<void()> prepare;  // may be empty; if not, a sample is one call unless `batch` says otherwise
  /// Seconds that so many calls took, by a clock that is nearer to them than the host's; may be empty.
  std::function<double(int calls)> clock = {};
  int batch = 0;  // calls in each sample, warm-up included; 0: as TimingOptions has it
};

/// Of the samples, each of which is the longest that any rank saw, divided by the calls in it.
struct Timing {
  double median_us = 0, min_us = 0;
  int samples = 0, batch = 1;
};

/// Collective. A sample: prepare, MPI_Barrier, read the clock, call (batch times), read the clock; or
/// prepare, MPI_Barrier, and what the contestant's own clock says. The contestants take turns sample by
/// sample, and who goes first changes each round.
std::vector<Timing> time_in_turn(const std::vector<Contestant>& contestants, const TimingOptions& options,
                                 MPI_Comm comm);

/// Seconds of a clock that never goes back.
double now_seconds();

}  // namespace qr::bench
