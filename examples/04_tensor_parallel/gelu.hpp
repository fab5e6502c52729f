// The non-linearity between the two projections of a layer.
#pragma once

#include <cmath>

#include "bf16.hpp"

namespace examples {

/// GeLU, in the form with tanh that most transformers use.
template <class Real>
EXAMPLES_HOST_AND_DEVICE Real gelu(Real x) {
  constexpr Real kSqrtTwoOverPi = static_cast<Real>(0.79788456080286536);
  constexpr Real kCubic = static_cast<Real>(0.044715);
  return static_cast<Real>(0.5) * x * (1 + std::tanh(kSqrtTwoOverPi * (x + kCubic * x * x * x)));
}

/// Mean square of gelu(x) for a normal x: with it, weights can be drawn so that outputs are of size 1.
inline constexpr double kGeluMeanSquare = 0.425;

}  // namespace examples
