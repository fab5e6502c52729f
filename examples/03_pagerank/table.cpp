// Formatting, and the notes without which the numbers cannot be read.
#include "table.hpp"

#include <fmt/core.h>

#include "common/noise.hpp"

namespace examples {

namespace {

constexpr int kPrinted = 10;

const char* text_of(StopReason reason) {
  switch (reason) {
    case StopReason::kTolerance:
      return "tolerance";
    case StopReason::kPlateau:
      return "plateau";
    case StopReason::kLimit:
      break;
  }
  return "limit";
}

}  // namespace

void print_top_packages(const std::vector<std::string>& names, const GraphShare& graph,
                        const std::vector<double>& rank) {
  fmt::print("{:>5}  {:<28} {:>9} {:>10}\n", "place", "package", "PageRank", "needed by");
  int place = 0;
  for (const int top : top_nodes(rank, kPrinted)) {
    const auto node = static_cast<std::size_t>(top);
    fmt::print("{:>5}  {:<28} {:>9.6f} {:>10}\n", ++place, names[node], rank[node], graph.in_degree[node]);
  }
}

void print_pagerank_table(const std::vector<PageRankRow>& rows) {
  fmt::print("{:<6} {:<8} {:>10} {:>10} {:>8} {:>10} {:>9} {:>11} {:>8} {:>7} {:>7}\n", "codec", "reduced",
             "bits/value", "iterations", "MB sent", "stopped at", "residual", "worst diff.", "SQNR, dB",
             "top 20", "order");
  for (const PageRankRow& row : rows) {
    const Comparison& comparison = row.comparison;
    fmt::print("{:<6} {:<8} {:>10.2f} {:>10} {:>8.3f} {:>10} {:>9.1e} {:>11.1e} {:>8} {:>7} {:>7}\n",
               row.codec, row.of_changes ? "changes" : "values", row.traffic.bits_per_float, row.iterations,
               row.megabytes_sent, text_of(row.reason), row.residual, comparison.largest_relative_difference,
               sqnr_text(comparison.noise_to_signal), fmt::format("{}/{}", comparison.top_kept, kTop),
               comparison.same_order ? "same" : "differs");
  }
  fmt::print(
      "\nReduced: the contributions themselves, or how far they moved since the iteration before (every {}th "
      "sum exact).\n"
      "MB sent: payload that a rank sends in all iterations (10^6 bytes), computed from bits a value and the "
      "algorithm.\n"
      "Stopped at: the tolerance, or the plateau where the steps stopped shrinking because only noise was "
      "left.\n"
      "Residual: how far one exact iteration would still move the result, sum over all packages.\n"
      "Worst diff., SQNR, top 20, order: against the result in double precision; worst diff. is relative, of "
      "any package.\n",
      kRefreshPeriod);
}

}  // namespace examples
