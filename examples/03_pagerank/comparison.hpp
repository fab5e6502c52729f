// How far a PageRank vector is from the exact one, in numbers and in the order of the packages.
#pragma once

#include <vector>

namespace examples {

inline constexpr int kTop = 20;

struct Comparison {
  double largest_relative_difference = 0;
  double noise_to_signal = 0;
  int top_kept = 0;         // of the exact top 20, how many are in the other's
  bool same_order = false;  // the two top 20 are equal, place by place
};

Comparison compare(const std::vector<double>& exact, const std::vector<double>& got);

/// The `count` nodes of highest rank, highest first; fewer if there are fewer.
std::vector<int> top_nodes(const std::vector<double>& rank, int count);

}  // namespace examples
