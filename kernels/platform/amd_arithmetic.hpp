// Bytes, halves and small floats in the registers of an AMD GPU. nvidia_arithmetic.hpp is its twin.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace qr::gpu {

using Halves = std::uint16_t __attribute__((ext_vector_type(2)));
using SignedHalves = std::int16_t __attribute__((ext_vector_type(2)));

/// The low bytes of four words, first one lowest.
__device__ __forceinline__ std::uint32_t gather_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                      std::uint32_t d) {
  const std::uint32_t low = __builtin_amdgcn_perm(b, a, 0x0C0C0400U);
  const std::uint32_t high = __builtin_amdgcn_perm(d, c, 0x04000C0CU);
  return low | high;
}

/// Maxima and minima of the 16-bit halves of two words, as unsigned or as signed integers.
__device__ __forceinline__ std::uint32_t max_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_bit_cast(
      std::uint32_t, __builtin_elementwise_max(__builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b)));
}
__device__ __forceinline__ std::uint32_t min_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_bit_cast(
      std::uint32_t, __builtin_elementwise_min(__builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b)));
}
__device__ __forceinline__ std::uint32_t max_signed_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_bit_cast(std::uint32_t, __builtin_elementwise_max(__builtin_bit_cast(SignedHalves, a),
                                                                     __builtin_bit_cast(SignedHalves, b)));
}
/// The low halves of two words, the high halves of two words; the first one lowest.
__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
  return (a & 0xFFFFU) | b << 16;
}
__device__ __forceinline__ std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
  return a >> 16 | (b & 0xFFFF0000U);
}

/// The low bytes of the four halves of two words, first one lowest.
__device__ __forceinline__ std::uint32_t bytes_of_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_amdgcn_perm(b, a, 0x06040200U);
}

/// Two fp16 in a word, each a * b + c with one rounding, subnormals kept.
__device__ __forceinline__ std::uint32_t fma_float16_pairs(std::uint32_t a, std::uint32_t b,
                                                           std::uint32_t c) {
  using Pair = _Float16 __attribute__((ext_vector_type(2)));
  return __builtin_bit_cast(
      std::uint32_t, __builtin_elementwise_fma(__builtin_bit_cast(Pair, a), __builtin_bit_cast(Pair, b),
                                               __builtin_bit_cast(Pair, c)));
}

/// The two low, or the two high, bytes of `row`, each in a half of its own; their high bytes are `over`'s.
template <int kHalf>
__device__ __forceinline__ std::uint32_t spread_bytes(std::uint32_t row, std::uint32_t over) {
  return __builtin_amdgcn_perm(over, row, kHalf == 0 ? 0x07010500U : 0x07030502U);
}

/// The four bytes of `row`, integers, less kBias: exact. In pairs of fp16, bytes are the low mantissa bits of
/// 1024 + byte, and what multiplies them takes them as they are (v_fma_mix_f32).
template <int kBias>
class BytesLess {
  using Pair = _Float16 __attribute__((ext_vector_type(2)));

 public:
  __device__ explicit BytesLess(std::uint32_t row) : pair_{take<0>(row), take<1>(row)} {}
  template <int kByte>
  __device__ float at() const {
    return static_cast<float>(pair_[kByte / 2][kByte % 2]);
  }

 private:
  template <int kHalf>
  __device__ static Pair take(std::uint32_t row) {
    constexpr auto kLess = static_cast<_Float16>(1024 + kBias);
    return __builtin_bit_cast(Pair, spread_bytes<kHalf>(row, 0x64006400U)) - Pair{kLess, kLess};
  }
  Pair pair_[2];
};

/// min(max(x, -limit), limit), but NaN stays NaN.
__device__ __forceinline__ float clamp_or_nan(float x, float limit) {
  const float upper = limit < x ? limit : x;
  return upper < -limit ? -limit : upper;
}

/// Two floats as a pair of fp16, half to even; too large becomes Inf.
__device__ __forceinline__ std::uint32_t to_float16_pair(float low, float high) {
  using Pair = _Float16 __attribute__((ext_vector_type(2)));
  const Pair pair = {static_cast<_Float16>(low), static_cast<_Float16>(high)};
  return __builtin_bit_cast(std::uint32_t, pair);
}
/// The bf16 nearest to `x`, half to even, in the high half; the low half is anything. A NaN stays one if its
/// low half is 0, as in all that come from bf16 or from arithmetic on such.
__device__ __forceinline__ std::uint32_t rounded_to_bfloat16(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  return bits + 0x7FFFU + (bits >> 16 & 1U);
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair(float low, float high) {
#if defined(__gfx950__)
  using Floats = float __attribute__((ext_vector_type(2)));
  using Pair = __bf16 __attribute__((ext_vector_type(2)));
  const Floats both = {low, high};
  return __builtin_bit_cast(std::uint32_t, __builtin_convertvector(both, Pair));
#else
  return __builtin_amdgcn_perm(rounded_to_bfloat16(high), rounded_to_bfloat16(low), 0x07060302U);
#endif
}
/// Bits of the bf16 nearest to `x`, half to even, in the low half.
__device__ __forceinline__ std::uint32_t bfloat16_bits(float x) {
#if defined(__gfx950__)
  return to_bfloat16_pair(x, 0.0F);
#else
  return rounded_to_bfloat16(x) >> 16;
#endif
}
/// 1 / x, wrong by one unit of the last place at most, of a normal x whose inverse is normal.
__device__ __forceinline__ float rough_inverse(float x) { return __builtin_amdgcn_rcpf(x); }
__device__ __forceinline__ float low_float16(std::uint32_t pair) {
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(pair)));
}
__device__ __forceinline__ float high_float16(std::uint32_t pair) {
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(pair >> 16)));
}
/// The same; too large becomes the largest number, NaN stays NaN.
__device__ __forceinline__ std::uint32_t to_float16_pair_within_range(float low, float high) {
  constexpr float kLargest = 65504.0F;
  return to_float16_pair(clamp_or_nan(low, kLargest), clamp_or_nan(high, kLargest));
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair_within_range(float low, float high) {
  constexpr float kLargest = 0x1.FEp127F;
  return to_bfloat16_pair(clamp_or_nan(low, kLargest), clamp_or_nan(high, kLargest));
}

}  // namespace qr::gpu
