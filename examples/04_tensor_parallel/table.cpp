// Formatting of the table, with the notes without which its numbers cannot be read.
#include "table.hpp"

#include <fmt/core.h>

namespace examples {

void print_layers_table(const std::vector<LayersRow>& rows, bool on_device) {
  fmt::print("{:<6} {:>10} {:>10} {:>10} {:>10} {:>15} {:>10}\n", "codec", "bits/value", "algorithm",
             "pass, us", "sums, us", "output error, %", "worst sum");
  for (const LayersRow& row : rows) {
    fmt::print("{:<6} {:>10.2f} {:>10} {:>10.1f} {:>10.1f} {:>15.2f} {:>10.2f}{}\n", row.codec,
               row.bits_per_value, row.algorithm, row.pass_us, row.sums_us, 100 * row.judgement.output_error,
               row.judgement.worst_sum, row.judgement.good ? "" : "  WRONG");
  }
  fmt::print(
      "\nPass: the median, of the slowest rank{}. Sums: the same for its all-reduces alone, one behind the\n"
      "other. Output error: relative RMS against the whole network in double precision; raw's is that of "
      "bf16\n"
      "itself. Worst sum: the largest error of a value that was all-reduced, in units of the bound that the\n"
      "library states for it.\n",
      on_device ? ", of replays of one graph, between events" : "");
  for (const LayersRow& row : rows) {
    const Judgement& judgement = row.judgement;
    if (judgement.good) continue;
    fmt::print("{}: WRONG: output error {:.2e}, allowed {:.2e}; worst sum {:.2f}, allowed 1\n", row.codec,
               judgement.output_error, judgement.allowed_error, judgement.worst_sum);
  }
}

}  // namespace examples
