// The iteration and the decision when to stop it.
#include "pagerank.hpp"

#include <algorithm>
#include <cmath>

namespace examples {

namespace {

constexpr double kDamping = 0.85;
constexpr std::size_t kWindow = 10;  // iterations
static_assert(kWindow > kRefreshPeriod,
              "a window without a refresh in it would show noise that the refresh removes");

/// In exact arithmetic each step is at most kDamping times the one before, so ten of them shrink it to a
/// fifth or less. If ten have not even halved it, what moves the ranks is the noise of the sum, and more
/// iterations do not help.
bool has_reached_plateau(const std::vector<double>& steps) {
  if (steps.size() <= kWindow) return false;
  const auto window = steps.end() - kWindow;
  return *std::min_element(window, steps.end()) > 0.5 * *std::min_element(steps.begin(), window);
}

}  // namespace

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

std::vector<double> next_rank(const GraphShare& graph, const SumOverRanks& sum,
                              const std::vector<double>& rank) {
  std::vector<double> next(rank.size());
  for (const Edge& edge : graph.edges) {
    const auto from = static_cast<std::size_t>(edge.from);
    next[static_cast<std::size_t>(edge.to)] += rank[from] / graph.out_degree[from];
  }
  sum(next);
  // A package without dependencies gives its rank to all alike, as if it depended on every package.
  double dangling = 0;
  for (std::size_t node = 0; node < rank.size(); ++node) {
    if (graph.out_degree[node] == 0) dangling += rank[node];
  }
  const double to_each = (1 - kDamping + kDamping * dangling) / graph.nodes;
  for (double& value : next) value = kDamping * value + to_each;
  return next;
}

PageRankResult pagerank(const GraphShare& graph, const SumOverRanks& sum, const StopRule& rule) {
  PageRankResult result;
  result.rank.assign(static_cast<std::size_t>(graph.nodes), 1.0 / graph.nodes);
  std::vector<double> steps;
  while (result.iterations < rule.iteration_limit) {
    std::vector<double> next = next_rank(graph, sum, result.rank);
    steps.push_back(distance(next, result.rank));
    result.rank = std::move(next);
    ++result.iterations;
    // Each rank decides for itself, and all alike, because the sums have the same bits everywhere.
    if (steps.back() <= rule.tolerance) {
      result.reason = StopReason::kTolerance;
      break;
    }
    if (has_reached_plateau(steps)) {
      result.reason = StopReason::kPlateau;
      break;
    }
  }
  return result;
}

}  // namespace examples
