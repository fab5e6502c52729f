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

/// One element at an address that is aligned to the element only, as bits.
template <class Bits>
__device__ __forceinline__ Bits load_element(const std::byte* from) {
  return *reinterpret_cast<const volatile Bits*>(from);
}

/// 16 bytes of which `valid` (may be negative, or more than all) elements exist; missing ones are zero bits. The address
/// is aligned to the element. The slow road of tails and of vectors that start anywhere.
template <class Bits>
__device__ __forceinline__ uint4 gather_quad(const std::byte* from, int valid) {
  constexpr int kPerWord = sizeof(Bits) == 2 ? 2 : 1;
  std::uint32_t word[4] = {};
#pragma unroll
  for (int i = 0; i < static_cast<int>(16 / sizeof(Bits)); ++i) {
    if (i >= valid) continue;
    const Bits bits = load_element<Bits>(from + i * static_cast<int>(sizeof(Bits)));
    if constexpr (sizeof(Bits) == 8) {
      word[2 * i] = static_cast<std::uint32_t>(bits);
      word[2 * i + 1] = static_cast<std::uint32_t>(bits >> 32);
    } else {
      word[i / kPerWord] |= static_cast<std::uint32_t>(bits) << (16 * (i % kPerWord));
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/// The way back: only the elements that exist are written.
template <class Bits>
__device__ __forceinline__ void scatter_quad(std::byte* to, int valid, uint4 quad) {
  constexpr int kPerWord = sizeof(Bits) == 2 ? 2 : 1;
  const std::uint32_t word[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
  for (int i = 0; i < static_cast<int>(16 / sizeof(Bits)); ++i) {
    if (i >= valid) continue;
    auto* place = reinterpret_cast<Bits*>(to + i * static_cast<int>(sizeof(Bits)));
    if constexpr (sizeof(Bits) == 8) {
      *place = static_cast<Bits>(word[2 * i]) | static_cast<Bits>(word[2 * i + 1]) << 32;
    } else {
      *place = static_cast<Bits>(word[i / kPerWord] >> (16 * (i % kPerWord)));
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

/// Rounded half to even; what is too large becomes Inf, a NaN the platform's quiet NaN.
template <class E, class Real>
__device__ __forceinline__ uint4 from_reals(const Real* x) {
  std::uint32_t word[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (E::kType == DataType::kFloat16) {
      word[i] = to_float16_pair(x[2 * i], x[2 * i + 1]);
    } else if constexpr (E::kType == DataType::kBFloat16) {
      word[i] = to_bfloat16_pair(x[2 * i], x[2 * i + 1]);
    } else if constexpr (E::kType == DataType::kFloat32) {
      word[i] = __float_as_uint(x[i]);
    } else {
      const double value = x[i / 2];
      word[i] = static_cast<std::uint32_t>(i % 2 == 0 ? __double2loint(value) : __double2hiint(value));
    }
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

}  // namespace qr::gpu
