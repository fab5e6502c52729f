// The dB scale.
#include "noise.hpp"

#include <fmt/core.h>

#include <cmath>

namespace examples {

std::string sqnr_text(double noise_to_signal) {
  return noise_to_signal == 0 ? "exact" : fmt::format("{:.1f}", -10 * std::log10(noise_to_signal));
}

}  // namespace examples
