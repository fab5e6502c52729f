// The table of the tensor-parallel example.
#pragma once

#include <string>
#include <vector>

#include "judgement.hpp"

namespace examples {

struct LayersRow {
  std::string codec;
  std::string algorithm;
  double bits_per_value = 0;
  double pass_us = 0;
  double sums_us = 0;
  Judgement judgement;
};

void print_layers_table(const std::vector<LayersRow>& rows, bool on_device);

}  // namespace examples
