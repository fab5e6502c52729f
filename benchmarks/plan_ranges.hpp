// What a communicator would do at each size: ranges of bytes that share a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "elements.hpp"
#include "operations.hpp"

namespace qr::bench {

struct PlanRange {
  std::int64_t first_bytes = 0, last_bytes = 0;  // of the vector, both included
  PlanText plan;
  Prediction first, last;  // of calls of first_bytes and last_bytes in device memory
};

/// Asks for every power of two from one element to 1 GiB and finds the exact element at which the plan
/// changes in between. Collective on the first use of `comm` (with device memory, if it is `on_device`),
/// local afterwards. On device memory the form counts as a part of the plan.
std::vector<PlanRange> plan_ranges(MPI_Comm comm, Element element, Operation operation,
                                   bool on_device = false);

}  // namespace qr::bench
