// Whether plans are right: every form and codec that codec=auto may take, against what it does take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/tuning.hpp"
#include "tune_bench.hpp"

namespace qr::bench {

struct CheckOptions {
  std::vector<std::int64_t> sizes;  // bytes of the vector
  std::vector<Element> types;
  std::string auto_codec = "int8";
  std::string tuning = "auto";  // the setting under test
  double seconds = 0.05;        // for each contestant
};

/// auto may take this times what the best candidate takes.
inline constexpr double kLargestRatio = 1.05;

/// Collective. Times all candidates and codec=auto, algorithm=auto in turn, and prints predictions by `table`
/// (which is what the setting stands for), times and ratios. Returns the number of rows over kLargestRatio. A
/// row is over it if in three measurements, the second and third of three times the seconds, auto took more
/// than that, and the best candidate was not the very call that auto makes: then the difference is noise.
int check_plans(TuneBench& bench, const CheckOptions& options, const Tuning& table);

}  // namespace qr::bench
