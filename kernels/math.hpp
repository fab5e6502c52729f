// ScalarMath: the operations that codecs are written in, on one float. It is the reference for every other
// Math.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "types.hpp"

namespace qr {

/// A Math has lanes of float (F) and of std::uint32_t (U), and these static functions, each lane by lane.
/// fma is one rounding; div is correctly rounded (the frame uses it, once a block); min and max may return
/// anything for NaN; select_less compares as IEEE does, so NaN takes `no`; to_float is given integers below
/// 2^23; shifts are by 0..31.
struct ScalarMath {
  using F = float;
  using U = std::uint32_t;

  static F set(float x) { return x; }
  static U set_bits(std::uint32_t x) { return x; }
  static F mul(F a, F b) { return a * b; }
  static F div(F a, F b) { return a / b; }
  static F fma(F a, F b, F c) { return std::fma(a, b, c); }
  static F min(F a, F b) { return b < a ? b : a; }
  static F max(F a, F b) { return a < b ? b : a; }
  static U bits(F x) { return std::bit_cast<U>(x); }
  static F from_bits(U x) { return std::bit_cast<F>(x); }
  static F to_float(U x) { return static_cast<float>(x); }
  static U bit_and(U a, U b) { return a & b; }
  static U bit_or(U a, U b) { return a | b; }
  static U add(U a, U b) { return a + b; }
  static U sub(U a, U b) { return a - b; }
  template <int kShift>
  static U shift_left(U x) {
    return x << kShift;
  }
  template <int kShift>
  static U shift_right(U x) {
    return x >> kShift;
  }
  /// a < b ? yes : no, lane by lane.
  static U select_less(F a, F b, U yes, U no) { return a < b ? yes : no; }
};

}  // namespace qr
