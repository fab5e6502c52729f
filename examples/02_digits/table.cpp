// Formatting of the table, with the notes without which its numbers cannot be read.
#include "table.hpp"

#include <fmt/core.h>

#include <cmath>

#include "common/noise.hpp"

namespace examples {

namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

void print_digits_table(const std::vector<DigitsRow>& rows) {
  fmt::print("{:<6} {:>10} {:>10} {:>8} {:>17} {:>8} {:>13}\n", "codec", "bits/value", "algorithm", "MB sent",
             "test accuracy, %", "SQNR, dB", "ranks agree");
  for (const DigitsRow& row : rows) {
    const std::string accuracy = fmt::format("{:.2f} +- {:.2f}", 100 * mean(row.test_accuracies),
                                             100 * standard_deviation(row.test_accuracies));
    fmt::print("{:<6} {:>10.2f} {:>10} {:>8.2f} {:>17} {:>8} {:>13}\n", row.codec, row.traffic.bits_per_float,
               row.traffic.algorithm, row.megabytes_sent, accuracy, sqnr_text(row.noise_to_signal),
               row.same_on_all_ranks ? "bit by bit" : "NO");
  }
  fmt::print(
      "\nMB sent: payload that a rank sends in one training run (10^6 bytes), computed from bits a value, "
      "the vector's\n"
      "length and the algorithm: exchange sends ranks-1 vectors a step, two_shot (and, at best, mpi) "
      "2(ranks-1)/ranks.\n"
      "Test accuracy: mean and standard deviation over the seeds. SQNR: of the summed gradient against the "
      "sum of the\n"
      "same gradients in double precision; mean noise over sampled steps. Ranks agree: on the trained "
      "parameters.\n");
}

}  // namespace examples
