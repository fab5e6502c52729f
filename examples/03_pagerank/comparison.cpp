// Comparison with the exact vector.
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/noise.hpp"

namespace examples {

std::vector<int> top_nodes(const std::vector<double>& rank, int count) {
  std::vector<int> nodes(rank.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto end = nodes.begin() + std::min<std::ptrdiff_t>(count, std::ssize(nodes));
  std::partial_sort(nodes.begin(), end, nodes.end(), [&](int a, int b) {
    const double of_a = rank[static_cast<std::size_t>(a)];
    const double of_b = rank[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  nodes.erase(end, nodes.end());
  return nodes;
}

Comparison compare(const std::vector<double>& exact, const std::vector<double>& got) {
  Comparison result;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    result.largest_relative_difference =
        std::max(result.largest_relative_difference, std::abs(got[i] - exact[i]) / exact[i]);
  }
  result.noise_to_signal = noise_to_signal(exact, got);
  const std::vector<int> exact_top = top_nodes(exact, kTop);
  const std::vector<int> got_top = top_nodes(got, kTop);
  result.same_order = exact_top == got_top;
  for (const int node : exact_top) {
    result.top_kept += std::find(got_top.begin(), got_top.end(), node) != got_top.end();
  }
  return result;
}

}  // namespace examples
