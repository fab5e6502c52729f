// PageRank by repeated multiplication, with the sum over the ranks left to the caller.
#pragma once

#include <vector>

#include "graph_share.hpp"
#include "sums.hpp"

namespace examples {

enum class StopReason { kTolerance, kPlateau, kLimit };

struct StopRule {
  double tolerance =
      1e-6;  // of the step: the sum of the absolute changes of all ranks, which themselves sum to 1
  int iteration_limit = 200;
};

struct PageRankResult {
  std::vector<double> rank;
  int iterations = 0;
  StopReason reason = StopReason::kLimit;
};

/// Collective over the ranks that `sum` sums over. Starts from equal ranks.
PageRankResult pagerank(const GraphShare& graph, const SumOverRanks& sum, const StopRule& rule);

/// One multiplication: what the ranks would be after `rank`.
std::vector<double> next_rank(const GraphShare& graph, const SumOverRanks& sum,
                              const std::vector<double>& rank);

/// Sum of absolute differences.
double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace examples
