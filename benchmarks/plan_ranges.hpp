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
};

/// Asks for every power of two from one element to 1 GiB and finds the exact element at which the plan
/// changes in between. Collective on the first use of `comm`, local afterwards.
std::vector<PlanRange> plan_ranges(MPI_Comm comm, Element element, Operation operation);

}  // namespace qr::bench
