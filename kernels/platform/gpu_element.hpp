// A lane's eight consecutive values of a user's vector: loaded, stored, and turned into fp32 and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../element.hpp"
#include "gpu_math.hpp"

namespace qr::gpu {

inline constexpr int kChunkValues = 8;

/// Eight values as they lie in memory, in 16-byte words.
template <class E>
struct Chunk {
  using Storage = typename E::Storage;
  static constexpr int kQuads = kChunkValues * static_cast<int>(sizeof(Storage)) / 16;
  uint4 quad[kQuads];
};

/// Bytes by which a vector that starts here, aligned to its elements, misses what accesses of 16 bytes need.
template <class E>
__device__ __forceinline__ int misfit(const void* vector) {
  if constexpr (kQuadAlignment <= sizeof(typename E::Storage)) return 0;
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(vector) % kQuadAlignment);
}

/// 16 bytes of which `valid` (may be negative, or more than all) elements exist; missing ones are zero bits.
/// The address is aligned to the element. The slow road of a vector's last words: a loop that stays one,
/// element by element from the last to the first, so that it costs neither registers nor room in the
/// instruction cache.
template <class Bits>
__device__ __forceinline__ uint4 gather_quad(const std::byte* from, int valid) {
  constexpr int kCount = static_cast<int>(16 / sizeof(Bits));
  constexpr int kShift = 8 * static_cast<int>(sizeof(Bits));
  uint4 quad = make_uint4(0, 0, 0, 0);
#pragma unroll 1
  for (int i = (valid < kCount ? valid : kCount) - 1; i >= 0; --i) {
    const Bits bits = *reinterpret_cast<const Bits*>(from + i * static_cast<int>(sizeof(Bits)));
    if constexpr (kShift == 16) {
      quad.w = quad.w << 16 | quad.z >> 16;
      quad.z = quad.z << 16 | quad.y >> 16;
      quad.y = quad.y << 16 | quad.x >> 16;
      quad.x = quad.x << 16 | bits;
    } else if constexpr (kShift == 32) {
      quad = make_uint4(bits, quad.x, quad.y, quad.z);
    } else {
      quad = make_uint4(static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), quad.x,
                        quad.y);
    }
  }
  return quad;
}

/// The way back: only the elements that exist are written.
template <class Bits>
__device__ __forceinline__ void scatter_quad(std::byte* to, int valid, uint4 quad) {
  constexpr int kCount = static_cast<int>(16 / sizeof(Bits));
  constexpr int kShift = 8 * static_cast<int>(sizeof(Bits));
#pragma unroll 1
  for (int i = 0; i < (valid < kCount ? valid : kCount); ++i) {
    auto* place = reinterpret_cast<Bits*>(to + i * static_cast<int>(sizeof(Bits)));
    if constexpr (kShift == 16) {
      *place = static_cast<Bits>(quad.x);
      quad.x = quad.x >> 16 | quad.y << 16;
      quad.y = quad.y >> 16 | quad.z << 16;
      quad.z = quad.z >> 16 | quad.w << 16;
      quad.w = quad.w >> 16;
    } else if constexpr (kShift == 32) {
      *place = quad.x;
      quad = make_uint4(quad.y, quad.z, quad.w, 0);
    } else {
      *place = static_cast<Bits>(quad.x) | static_cast<Bits>(quad.y) << 32;
      quad = make_uint4(quad.z, quad.w, 0, 0);
    }
  }
}

/// Unsigned integer of an element's size.
template <class E>
struct BitsOf {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<Float16> {
  using Type = std::uint16_t;
};
template <>
struct BitsOf<BFloat16> {
  using Type = std::uint16_t;
};
template <>
struct BitsOf<Float64> {
  using Type = std::uint64_t;
};

/// The values of one 16-byte word in the type in which sums are made.
template <class E, class Real>
__device__ __forceinline__ void to_reals(uint4 quad, Real* x) {
  const std::uint32_t word[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (E::kType == DataType::kFloat16) {
      x[2 * i] = low_float16(word[i]);
      x[2 * i + 1] = high_float16(word[i]);
    } else if constexpr (E::kType == DataType::kBFloat16) {
      x[2 * i] = __uint_as_float(word[i] << 16);
      x[2 * i + 1] = __uint_as_float(word[i] & 0xFFFF0000U);
    } else if constexpr (E::kType == DataType::kFloat32) {
      x[i] = __uint_as_float(word[i]);
    } else if (i % 2 == 0) {
      x[i / 2] = __hiloint2double(static_cast<int>(word[i + 1]), static_cast<int>(word[i]));
    }
  }
}

/// One value of a 16-byte word of 16-bit elements; `index` is a constant once loops are unrolled.
template <class E>
__device__ __forceinline__ float to_real(const uint4& quad, int index) {
  const std::uint32_t word = index < 4 ? (index < 2 ? quad.x : quad.y) : (index < 6 ? quad.z : quad.w);
  if constexpr (E::kType == DataType::kFloat16)
    return index % 2 == 0 ? low_float16(word) : high_float16(word);
  return __uint_as_float(index % 2 == 0 ? word << 16 : word & 0xFFFF0000U);
}

/// Rounded half to even; what is too large becomes Inf, or the largest number if kSaturate, and a NaN the
/// platform's quiet NaN.
template <class E, bool kSaturate = false, class Real>
__device__ __forceinline__ uint4 from_reals(const Real* x) {
  std::uint32_t word[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (E::kType == DataType::kFloat16) {
      word[i] = kSaturate ? to_float16_pair_within_range(x[2 * i], x[2 * i + 1])
                          : to_float16_pair(x[2 * i], x[2 * i + 1]);
    } else if constexpr (E::kType == DataType::kBFloat16) {
      word[i] = kSaturate ? to_bfloat16_pair_within_range(x[2 * i], x[2 * i + 1])
                          : to_bfloat16_pair(x[2 * i], x[2 * i + 1]);
    } else if constexpr (E::kType == DataType::kFloat32) {
      word[i] = __float_as_uint(kSaturate ? clamp_or_nan(x[i], static_cast<float>(E::kMax)) : x[i]);
    } else {
      const double value = x[i / 2];
      word[i] = static_cast<std::uint32_t>(i % 2 == 0 ? __double2loint(value) : __double2hiint(value));
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

}  // namespace qr::gpu
