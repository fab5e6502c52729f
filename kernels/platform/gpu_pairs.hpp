// Arithmetic on both 16-bit elements of a word at once, where the GPU has it: a * b + c with one rounding.
#pragma once

#include <cstdint>

#include "../element.hpp"
#include "gpu_math.hpp"

namespace qr::gpu {

/// kNative: the GPU has it for E. kOnes: the number from which on E's numbers are integers one apart, in both
/// halves: its bits plus n are those of the number plus n, up to twice the number.
template <class E>
struct Pairs {
  static constexpr bool kNative = false;
};

template <>
struct Pairs<Float16> {
  static constexpr bool kNative = true;
  static constexpr int kMantissaBits = 10;
  static constexpr std::uint32_t kOnes = 0x64006400;  // 1024
  __device__ static std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return fma_float16_pairs(a, b, c);
  }
  /// x, rounded, in both halves.
  __device__ static std::uint32_t both(float x) { return to_float16_pair(x, x); }
};

#if !defined(__HIP__)  // no AMD GPU has such an instruction for bf16
template <>
struct Pairs<BFloat16> {
  static constexpr bool kNative = true;
  static constexpr int kMantissaBits = 7;
  static constexpr std::uint32_t kOnes = 0x43004300;  // 128
  __device__ static std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return fma_bfloat16_pairs(a, b, c);
  }
  /// x, which is a bf16, in both halves.
  __device__ static std::uint32_t both(float x) {
    const std::uint32_t bits = __float_as_uint(x);
    return high_halves(bits, bits);
  }
};
#endif

/// n in both halves.
constexpr std::uint32_t twice(std::uint32_t n) { return n << 16 | n; }

}  // namespace qr::gpu
