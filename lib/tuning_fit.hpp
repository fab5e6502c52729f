// From measured times to a tuning table: the arithmetic of qr_mpi_tune.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/types.hpp"
#include "lib/cost_model.hpp"
#include "lib/tuning.hpp"

namespace qr {

/// One measured call.
struct TimedCall {
  Form form = Form::kExchange;
  int codec = 0;
  DataType type = DataType::kBFloat16;
  std::int64_t count = 0;
  double us = 0;
};

/// The table under which predict_us() comes near to `calls`, all of them of `world` ranks. `start` has what
/// calls cannot tell: name, limits, rates of link, memory and cache as they were measured apart, and the cost
/// of a further rank. Of each form, of raw and of a codec at least, there should be a short call and, except
/// of flagged ones with a codec of 32-bit values, a long one; what is missing stays as it is in `start`.
Tuning fit_tuning(const Tuning& start, int world, const std::vector<TimedCall>& calls);

}  // namespace qr
