// Eight codes of a small floating-point codec made and read by the GPU's own instructions, where it has such.
#pragma once

#include <concepts>
#include <cstdint>

#include "../float_codec.hpp"
#include "gpu_math.hpp"

namespace qr::gpu {

/// kNative: the GPU has instructions that give the bits of C's own encode() and decode(). Then there are
///   encode<kSums>(value, words): the codes of value(0..7), which are in units of the scale, first one in the
///     lowest bits. kSums: they may be far beyond the codec's largest value; else a block's extreme may be,
///     by one part in 64 (the scale is rounded), which rounds to that value.
///   decode(words, x): the values of eight codes, in units of the scale; a negative zero stays one.
/// tests/gpu/codes_test compares them, on the GPU at hand, with the codec's own on the host.
template <class C>
struct Conversion {
  static constexpr bool kNative = false;
};

#if defined(__gfx950__)

// OCP formats, half to even, subnormals kept, as HIP's own conversions rely on (amd_hip_fp8.h,
// amd_hip_fp4.h). What is beyond the largest value is clamped before, as there: E4M3 would become NaN in one
// of the chip's modes. gfx942 has the instructions of fp8 for another format (FNUZ: one more bias, one zero)
// and none for fp4: the portable code is its own.

using TwoFloats = float __attribute__((ext_vector_type(2)));

template <bool kSums>
__device__ __forceinline__ float within(float x, float largest) {
  return kSums ? __builtin_amdgcn_fmed3f(x, -largest, largest) : x;
}

/// fp8.
template <std::derived_from<FloatCodec<4, 3, 448>> C>
struct Conversion<C> {
  static constexpr bool kNative = true;

  template <bool kSums, class ValueOf>
  __device__ static void encode(const ValueOf& value, std::uint32_t* words) {
    const auto x = [&](int i) { return within<kSums>(value(i), C::kLargest); };
#pragma unroll
    for (int word = 0; word < 2; ++word) {
      forget_value(words[word]);
      const int low =
          __builtin_amdgcn_cvt_pk_fp8_f32(x(4 * word), x(4 * word + 1), static_cast<int>(words[word]), false);
      words[word] = static_cast<std::uint32_t>(
          __builtin_amdgcn_cvt_pk_fp8_f32(x(4 * word + 2), x(4 * word + 3), low, true));
    }
  }

  __device__ static void decode(const std::uint32_t* words, float (&x)[8]) {
#pragma unroll
    for (int word = 0; word < 2; ++word) {
      const TwoFloats low = __builtin_amdgcn_cvt_pk_f32_fp8(static_cast<int>(words[word]), false);
      const TwoFloats high = __builtin_amdgcn_cvt_pk_f32_fp8(static_cast<int>(words[word]), true);
      x[4 * word] = low.x;
      x[4 * word + 1] = low.y;
      x[4 * word + 2] = high.x;
      x[4 * word + 3] = high.y;
    }
  }
};

/// fp4. The instructions multiply by a power of two as well: here it is 1.
template <std::derived_from<FloatCodec<2, 1, 6>> C>
struct Conversion<C> {
  static constexpr bool kNative = true;

  template <bool kSums, class ValueOf>
  __device__ static void encode(const ValueOf& value, std::uint32_t* words) {
    const auto x = [&](int i) { return within<kSums>(value(i), C::kLargest); };
    forget_value(words[0]);
    std::uint32_t word = words[0];
    word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, x(0), x(1), 1.0F, 0);
    word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, x(2), x(3), 1.0F, 1);
    word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, x(4), x(5), 1.0F, 2);
    words[0] = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, x(6), x(7), 1.0F, 3);
  }

  __device__ static void decode(const std::uint32_t* words, float (&x)[8]) {
    take(__builtin_amdgcn_cvt_scalef32_pk_f32_fp4(words[0], 1.0F, 0), x);
    take(__builtin_amdgcn_cvt_scalef32_pk_f32_fp4(words[0], 1.0F, 1), x + 2);
    take(__builtin_amdgcn_cvt_scalef32_pk_f32_fp4(words[0], 1.0F, 2), x + 4);
    take(__builtin_amdgcn_cvt_scalef32_pk_f32_fp4(words[0], 1.0F, 3), x + 6);
  }

 private:
  __device__ static void take(TwoFloats pair, float* x) {
    x[0] = pair.x;
    x[1] = pair.y;
  }
};

#elif __CUDA_ARCH__ >= 890

/// fp8. (There are none for fp4 before sm_100.)
template <std::derived_from<FloatCodec<4, 3, 448>> C>
struct Conversion<C> {
  static constexpr bool kNative = true;

  template <bool, class ValueOf>
  __device__ static void encode(const ValueOf& value, std::uint32_t* words) {
#pragma unroll
    for (int word = 0; word < 2; ++word) {
      const std::uint32_t low = to_e4m3_pair(value(4 * word), value(4 * word + 1));
      const std::uint32_t high = to_e4m3_pair(value(4 * word + 2), value(4 * word + 3));
      words[word] = high << 16 | low;
    }
  }

  __device__ static void decode(const std::uint32_t* words, float (&x)[8]) {
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
      const std::uint32_t halves =
          e4m3_to_float16_pair(static_cast<std::uint16_t>(words[pair / 2] >> (16 * (pair % 2))));
      x[2 * pair] = low_float16(halves);
      x[2 * pair + 1] = high_float16(halves);
    }
  }
};

#endif

}  // namespace qr::gpu
