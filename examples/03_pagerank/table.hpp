// What the PageRank example prints: the most needed packages, and one row for each codec.
#pragma once

#include <string>
#include <vector>

#include "common/codec_comm.hpp"
#include "comparison.hpp"
#include "pagerank.hpp"

namespace examples {

struct PageRankRow {
  std::string codec;
  Traffic traffic;            // of one sum through the codec
  bool of_changes = false;    // what the codec was given: changes, or the values themselves
  double megabytes_sent = 0;  // by a rank, in all iterations
  int iterations = 0;
  StopReason reason = StopReason::kLimit;
  double residual = 0;
  Comparison comparison;
};

void print_top_packages(const std::vector<std::string>& names, const GraphShare& graph,
                        const std::vector<double>& rank);
void print_pagerank_table(const std::vector<PageRankRow>& rows);

}  // namespace examples
