// The family of small floating-point codecs: fp8 (E4M3), fp4 (E2M1) and any other split are one line each on
// top of this.
#pragma once

#include <cstdint>

#include "codec.hpp"

namespace qr {

/// Sign, kExponentBits, kMantissaBits; subnormals, no Inf and no NaN; the usual bias; largest value kTop, at
/// which encoding saturates. The block's value of largest magnitude maps to +kTop or -kTop. Rounding is half
/// to even, and an even code is an even mantissa. A zero of any sign decodes to +0.
template <int kExponentBits, int kMantissaBits, int kTop>
struct FloatCodec {
  static constexpr int kBits = 1 + kExponentBits + kMantissaBits;
  static constexpr float kLargest = kTop;
  static constexpr int kLowestExponent = 2 - (1 << (kExponentBits - 1));
  static constexpr float kSmallestNormal = 4.0F / static_cast<float>(1U << (1U << (kExponentBits - 1)));

  /// Half a step of the highest binade, and the scale word's rounding.
  static constexpr double kError = [] {
    double binade = 1.0;
    while (2 * binade <= kTop) binade *= 2;
    return binade / (2 << kMantissaBits) / kTop * (1.0 + 1.0 / 256);
  }();

  template <class M>
  QR_DEVICE static typename M::F scale(typename M::F extreme) {
    return M::mul(extreme, M::set(1.0F / kTop));
  }

  template <class M>
  QR_DEVICE static typename M::U encode(typename M::F x, typename M::F inverse) {
    constexpr int kDropped = 23 - kMantissaBits;
    const auto y = M::bits(M::mul(x, inverse));
    const auto magnitude = M::min(M::from_bits(M::bit_and(y, M::set_bits(0x7FFFFFFFU))), M::set(kLargest));
    // The power of two at or below the magnitude, as bits; subnormals share the step of the lowest binade.
    const auto clipped = M::max(magnitude, M::set(kSmallestNormal));
    const auto binade = M::bit_and(M::bits(clipped), M::set_bits(0x7F800000U));
    // A constant whose last place is one step of that binade: adding it rounds and leaves the number of steps
    // in the low bits. From 2^kMantissaBits steps on they run over into the exponent field of the code, which
    // is what it needs.
    const auto shifter = M::add(binade, M::set_bits(static_cast<std::uint32_t>(kDropped) << 23));
    const auto steps = M::sub(M::bits(M::fma(magnitude, M::set(1.0F), M::from_bits(shifter))), shifter);
    const auto exponent =
        M::sub(M::template shift_right<kDropped>(binade),
               M::set_bits(static_cast<std::uint32_t>(127 + kLowestExponent) << kMantissaBits));
    const auto sign = M::template shift_left<kBits - 1>(M::template shift_right<31>(y));
    return M::bit_or(M::add(steps, exponent), sign);
  }

  template <class M>
  QR_DEVICE static typename M::F decode(typename M::U code, typename M::F scale) {
    constexpr int kDropped = 23 - kMantissaBits;
    // Read as a normal number of the exponent below the lowest, a subnormal m comes out as (s + m) / 2, s
    // being the smallest normal value. Twice that less s is m again; for all other values that is too large.
    const auto magnitude = M::bit_and(code, M::set_bits((1U << (kBits - 1)) - 1));
    const auto normal =
        M::from_bits(M::add(M::template shift_left<kDropped>(magnitude),
                            M::set_bits(static_cast<std::uint32_t>(126 + kLowestExponent) << 23)));
    const auto value = M::min(normal, M::fma(normal, M::set(2.0F), M::set(-kSmallestNormal)));
    const auto sign = M::template shift_left<31>(M::template shift_right<kBits - 1>(code));
    return M::fma(M::from_bits(M::bit_or(M::bits(value), sign)), scale, M::set(0.0F));
  }
};

}  // namespace qr
