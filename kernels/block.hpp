// The frame around a block codec: which value scales a block, the 16-bit scale word, and what zero, NaN and
// Inf become.
#pragma once

#include <bit>
#include <cstdint>

#include "codec.hpp"
#include "element.hpp"

namespace qr {

/// Scale word of a block that holds a NaN or an Inf: it decodes to NaN in all places. (bf16's quiet NaN.)
inline constexpr std::uint32_t kNanScale = 0x7FC0;

/// Blocks whose largest magnitude is below this decode to +0 (fp16 has no such value but zero). Above it,
/// every number that a codec's arithmetic meets is far enough from the ends of fp32.
inline constexpr float kSmallestExtreme = 0x1p-110F;

/// 2^exponent, of a constant.
[[gnu::always_inline]] QR_DEVICE constexpr float power_of_two(int exponent) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// Largest bf16 number that is not above x, for x > 0.
constexpr float floor_to_bfloat16(double x) {
  return static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) >> 45 << 45));
}

/// What scales are limited to, so that the codec's largest value still fits the element type.
template <class C, class E>
inline constexpr float kScaleLimit = floor_to_bfloat16(E::kMax / static_cast<double>(C::kLargest));

/// Order of values by which a block's extreme is the unsigned maximum: by magnitude, of a pair the negative
/// one, then Inf, then NaN. The bits rotated by one: sign last.
template <class M>
QR_DEVICE typename M::U extreme_key(typename M::F x) {
  return M::bit_or(M::template shift_left<1>(M::bits(x)), M::template shift_right<31>(M::bits(x)));
}
template <class M>
QR_DEVICE typename M::F extreme_of_key(typename M::U key) {
  return M::from_bits(M::bit_or(M::template shift_right<1>(key), M::template shift_left<31>(key)));
}

/// Bits of x rounded to bf16, half to even, in the low half. (Anything for NaN.)
template <class M>
QR_DEVICE typename M::U bfloat16_word(typename M::F x) {
  if constexpr (requires { M::to_bfloat16(x); }) {
    return M::to_bfloat16(x);
  } else {
    const auto bits = M::bits(x);
    const auto odd = M::bit_and(M::template shift_right<16>(bits), M::set_bits(1));
    return M::template shift_right<16>(M::add(M::add(bits, M::set_bits(0x7FFF)), odd));
  }
}

/// The inverse of a block's scale is rounded to bf16 too, where the codec bears it and the elements have 16
/// bits: then GPUs encode two values at once in 16-bit arithmetic, whose one rounding, to an integer, is that
/// of fp32.
template <class C, class E>
inline constexpr bool kShortInverse = [] {
  if constexpr (requires { C::kShortInverse; }) return C::kShortInverse && sizeof(typename E::Storage) == 2;
  return false;
}();

/// 2^kUnits / divisor, in fp32 or rounded to bf16 (kShort).
template <class M, int kUnits, bool kShort>
QR_DEVICE typename M::F inverse_of_scale(typename M::F divisor) {
  if constexpr (!kShort) {
    return M::div(M::set(power_of_two(kUnits)), divisor);
  } else if constexpr (requires { M::near_inverse(divisor); }) {
    // A scale has 8 bits, a number half-way between two of bf16 has 9, and the last of them is set: so their
    // product is never a power of two, and misses it by one part in 2^17 at least. What is within 2^-20 of
    // the inverse rounds to the same bf16 as the inverse.
    const auto near = M::mul(M::near_inverse(divisor), M::set(power_of_two(kUnits)));
    return M::from_bits(M::template shift_left<16>(bfloat16_word<M>(near)));
  } else {
    const auto inverse = M::div(M::set(power_of_two(kUnits)), divisor);
    return M::from_bits(M::template shift_left<16>(bfloat16_word<M>(inverse)));
  }
}

/// How a block is encoded.
template <class M>
struct BlockScale {
  typename M::U word;     // the 16-bit scale word, in the low half
  typename M::F inverse;  // 1 / scale in the units of the values, 0 for a block of zeros, NaN or Inf
  typename M::U
      keep;  // mask on all codes of the block: 0 if it is NaN, so that its codes are the same everywhere
};

/// Scale of a block from its extreme. Values and extreme are in units of 2^kUnits (sums: the headroom), the
/// word is not.
template <class C, class E, class M, int kUnits>
QR_DEVICE BlockScale<M> block_scale(typename M::F extreme) {
  // Below 4 the inverse of the largest scale would be subnormal, above 512 that of the smallest one overflow.
  static_assert(C::kLargest >= 4 && C::kLargest <= 512);
  using F = typename M::F;
  using U = typename M::U;
  const F magnitude = M::from_bits(M::bit_and(M::bits(extreme), M::set_bits(0x7FFFFFFFU)));
  F plain = extreme;
  if constexpr (kUnits != 0) {
    // A sum above the type's range saturates here, before it is brought back to plain units.
    constexpr float kTop = static_cast<float>(E::kMax) * power_of_two(-kUnits);
    plain = M::mul(M::min(M::max(extreme, M::set(-kTop)), M::set(kTop)), M::set(power_of_two(kUnits)));
  }
  constexpr float kLimit = kScaleLimit<C, E>;
  const F scale = M::min(M::max(C::template scale<M>(plain), M::set(-kLimit)), M::set(kLimit));
  const U word = bfloat16_word<M>(scale);

  const F smallest = M::set(kSmallestExtreme * power_of_two(-kUnits));
  const F infinity = M::from_bits(M::set_bits(0x7F800000U));
  const U zero = M::set_bits(0);
  // Blocks of zeros are the common special case: they must not raise the flag of a division by zero.
  const F one = M::set(1.0F);
  const F divisor =
      M::from_bits(M::select_less(magnitude, smallest, M::bits(one), M::template shift_left<16>(word)));
  const F inverse = inverse_of_scale<M, kUnits, kShortInverse<C, E>>(divisor);
  const U word_or_nan = M::select_less(magnitude, infinity, word, M::set_bits(kNanScale));
  const U inverse_or_zero = M::select_less(magnitude, infinity, M::bits(inverse), zero);
  return {M::select_less(magnitude, smallest, zero, word_or_nan),
          M::from_bits(M::select_less(magnitude, smallest, zero, inverse_or_zero)),
          M::select_less(magnitude, infinity, M::set_bits(~0U), zero)};
}

/// Decode scale of a scale word (in the low half), in units of 2^kUnits.
template <class M, int kUnits>
QR_DEVICE typename M::F decode_scale(typename M::U word) {
  const typename M::F scale = M::from_bits(M::template shift_left<16>(word));
  if constexpr (kUnits == 0) return scale;
  return M::mul(scale, M::set(power_of_two(-kUnits)));
}

}  // namespace qr
