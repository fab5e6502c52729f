// The table of the digits example.
#pragma once

#include <string>
#include <vector>

#include "common/codec_comm.hpp"

namespace examples {

/// One codec's training runs, one for each seed.
struct DigitsRow {
  std::string codec;
  Traffic traffic;            // of one step
  double megabytes_sent = 0;  // by a rank in one training run
  std::vector<double> test_accuracies;
  double noise_to_signal = 0;
  bool same_on_all_ranks = true;
};

void print_digits_table(const std::vector<DigitsRow>& rows);

}  // namespace examples
