// The family of integer codecs: int8, int6, int4, int3 and any other width are one line each on top of this.
#pragma once

#include <cstdint>

#include "codec.hpp"

namespace qr {

/// kBitCount-bit codes. The block's value of largest magnitude, with its sign, maps to the most negative
/// code, so it never clips and all 2^b codes are used: d = -extreme / Q, q = clamp(round-half-even(x / d),
/// -Q, Q - 1), Q = 2^(b-1). The wire holds q + Q.
template <int kBitCount>
struct IntegerCodec {
  static_assert(kBitCount >= 2 && kBitCount <= 8);
  static constexpr int kBits = kBitCount;
  static constexpr int kSteps = 1 << (kBits - 1);  // Q
  static constexpr float kLargest = kSteps;
  /// One whole step for the value opposite in sign to the extreme (it clips at Q - 1), plus the scale word's
  /// rounding (2^-9) or its limit at the top of the range (2^-8).
  static constexpr double kError = 1.0 / kSteps + 1.0 / 256;

  /// An inverse that is wrong by one part in 512 moves no value by more than 1/16 of a step.
  static constexpr bool kShortInverse = kSteps <= 32;

  template <class M>
  QR_DEVICE static typename M::F scale(typename M::F extreme) {
    return M::mul(extreme, M::set(-1.0F / kSteps));
  }

  template <class M>
  QR_DEVICE static typename M::U encode(typename M::F x, typename M::F inverse) {
    // Adding 1.5 * 2^23 rounds to an integer, half to even, and leaves it in the low bits; + Q makes the code
    // unsigned.
    constexpr float kMagic = 12582912.0F;
    const auto biased = M::fma(x, inverse, M::set(kMagic + kSteps));
    const auto clamped = M::min(M::max(biased, M::set(kMagic)), M::set(kMagic + 2 * kSteps - 1));
    return M::bit_and(M::bits(clamped), M::set_bits((1U << kBits) - 1));
  }

  /// True when the quotient of no value of a block goes below -Q - 1/2: the scale is at most 2^-8 too small,
  /// its inverse at most 2^-9 too large.
  static constexpr bool kNeverBelow = kSteps < 128;

  /// encode() in the lowest byte, for a value that was looked at when the block's extreme was found and is
  /// finite in the element's type, or any value of a block whose inverse is 0. The other bytes are anything.
  template <class M>
  requires(kNeverBelow) QR_DEVICE static typename M::U encode_byte(typename M::F x, typename M::F inverse) {
    constexpr float kMagic = 12582912.0F;
    return M::bits(M::min(M::fma(x, inverse, M::set(kMagic + kSteps)), M::set(kMagic + 2 * kSteps - 1)));
  }

  template <class M>
  QR_DEVICE static typename M::F decode(typename M::U code, typename M::F scale) {
    // At most 8 bits times 8: exact, so a zero comes out as +0 whatever the scale's sign. Nothing on the way
    // is larger than the block's extreme: at the top of fp32's range there is no room for more.
    return M::fma(M::to_float(code), scale, M::mul(M::set(-kSteps), scale));
  }
};

}  // namespace qr
