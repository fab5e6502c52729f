// Measures the constants of this node and says how well the model meets the times behind them.
#pragma once

#include <string>
#include <vector>

#include "lib/tuning.hpp"
#include "tune_bench.hpp"

namespace qr::bench {

/// Bytes of the longest call that is measured.
inline constexpr std::int64_t kLongCall = std::int64_t{64} << 20;

/// Collective. Rates by plain copies, times by graphs of calls, for all of `codecs` (raw among them); rank 0
/// prints all of it. `seconds`: measuring time of a call.
Tuning measure_tuning(TuneBench& bench, const std::vector<std::string>& codecs, double seconds);

}  // namespace qr::bench
