// Signal-to-quantization-noise ratio: how far a sum is from the exact one, as engineers quote it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace examples {

/// Energy of the error divided by the energy of the exact vector; 0 if they are equal.
template <class Value>
double noise_to_signal(const std::vector<double>& exact, const std::vector<Value>& got) {
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = static_cast<double>(got[i]) - exact[i];
    signal += exact[i] * exact[i];
    noise += error * error;
  }
  if (noise == 0) return 0;
  return noise / signal;
}

/// In dB with one digit, "exact" where there is no noise at all.
std::string sqnr_text(double noise_to_signal);

}  // namespace examples
