// Bytes, halves and small floats in the registers of an NVIDIA GPU. amd_arithmetic.hpp is its twin.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace qr::gpu {

/// The low bytes of four words, first one lowest.
__device__ __forceinline__ std::uint32_t gather_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                      std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

/// Maxima and minima of the 16-bit halves of two words, as unsigned or as signed integers.
__device__ __forceinline__ std::uint32_t max_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __vmaxu2(a, b);
}
__device__ __forceinline__ std::uint32_t min_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __vminu2(a, b);
}
__device__ __forceinline__ std::uint32_t max_signed_halves(std::uint32_t a, std::uint32_t b) {
  return __vmaxs2(a, b);
}
/// The low halves of two words, the high halves of two words; the first one lowest.
__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ __forceinline__ std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x7632);
}

/// The low bytes of the four halves of two words, first one lowest.
__device__ __forceinline__ std::uint32_t bytes_of_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x6420);
}

/// Two 16-bit floats in a word, each a * b + c with one rounding, subnormals kept.
__device__ __forceinline__ std::uint32_t fma_float16_pairs(std::uint32_t a, std::uint32_t b,
                                                           std::uint32_t c) {
  std::uint32_t pair;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(pair) : "r"(a), "r"(b), "r"(c));
  return pair;
}
__device__ __forceinline__ std::uint32_t fma_bfloat16_pairs(std::uint32_t a, std::uint32_t b,
                                                            std::uint32_t c) {
  std::uint32_t pair;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(pair) : "r"(a), "r"(b), "r"(c));
  return pair;
}

/// The two low, or the two high, bytes of `row`, each in a half of its own; their high bytes are `over`'s.
template <int kHalf>
__device__ __forceinline__ std::uint32_t spread_bytes(std::uint32_t row, std::uint32_t over) {
  return __byte_perm(row, over, kHalf == 0 ? 0x7150 : 0x7352);
}

/// The four bytes of `row`, integers, less kBias: exact. A byte becomes the low mantissa bits of 2^23 + byte.
template <int kBias>
class BytesLess {
 public:
  __device__ explicit BytesLess(std::uint32_t row) : row_(row) {}
  template <int kByte>
  __device__ float at() const {
    const std::uint32_t shifted = __byte_perm(row_, 0x4B000000U, 0x7650 + kByte);
    return __fadd_rn(__uint_as_float(shifted), -(8388608.0F + kBias));
  }

 private:
  std::uint32_t row_;
};

/// Two floats as a pair of fp16, half to even; too large becomes Inf.
__device__ __forceinline__ std::uint32_t to_float16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
/// Bits of the bf16 nearest to `x`, half to even, in the low half.
__device__ __forceinline__ std::uint32_t bfloat16_bits(float x) { return to_bfloat16_pair(x, 0.0F); }
/// 1 / x, wrong by one unit of the last place at most, of a normal x whose inverse is normal.
__device__ __forceinline__ float rough_inverse(float x) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
}
__device__ __forceinline__ float low_float16(std::uint32_t pair) {
  float x;
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}" : "=f"(x) : "r"(pair));
  return x;
}
__device__ __forceinline__ float high_float16(std::uint32_t pair) {
  float x;
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high;}" : "=f"(x) : "r"(pair));
  return x;
}

#if __CUDA_ARCH__ >= 890
/// Two floats as a pair of E4M3, half to even; too large becomes the largest number.
__device__ __forceinline__ std::uint16_t to_e4m3_pair(float low, float high) {
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
}
/// A pair of E4M3 as a pair of fp16: exact.
__device__ __forceinline__ std::uint32_t e4m3_to_float16_pair(std::uint16_t pair) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
  return halves;
}
#endif

/// As to_float16_pair() and to_bfloat16_pair(); too large becomes the largest number, NaN stays NaN.
__device__ __forceinline__ std::uint32_t to_float16_pair_within_range(float low, float high) {
  std::uint32_t pair = to_float16_pair(low, high);
  asm("min.NaN.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x7BFF7BFFU));
  asm("max.NaN.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0xFBFFFBFFU));
  return pair;
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair_within_range(float low, float high) {
  std::uint32_t pair = to_bfloat16_pair(low, high);
  asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x7F7F7F7FU));
  asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(0xFF7FFF7FU));
  return pair;
}

/// min(max(x, -limit), limit), but NaN stays NaN.
__device__ __forceinline__ float clamp_or_nan(float x, float limit) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(limit));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(y), "f"(-limit));
  return y;
}

}  // namespace qr::gpu
