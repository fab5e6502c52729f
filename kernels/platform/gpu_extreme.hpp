// The value of largest magnitude of each block of half a packet, in the registers of one group of 32 lanes.
//
// A chunk is 256 consecutive values, eight a lane; a half packet is four chunks, a packet eight. Four
// neighbouring lanes hold a block of each chunk. Lane j of the four makes the scale of chunk j of the half
// for all of them.
#pragma once

#include <cstdint>

#include "../block.hpp"
#include "gpu_element.hpp"

namespace qr::gpu {

inline constexpr int kHalves = 2;
inline constexpr int kHalfChunks = 4;
inline constexpr int kHalfValues = kHalfChunks * kChunkValues;  // of one lane

/// From a key of each of four blocks and lanes to one maximum a lane: lane j of four gets that of chunk j.
template <class Max>
__device__ __forceinline__ std::uint32_t spread_max(const std::uint32_t (&key)[kHalfChunks], const Max& max) {
  const bool upper = (threadIdx.x & 2U) != 0;
  const bool odd = (threadIdx.x & 1U) != 0;
  const std::uint32_t first = max(upper ? key[2] : key[0], lane_xor(upper ? key[0] : key[2], 2));
  const std::uint32_t second = max(upper ? key[3] : key[1], lane_xor(upper ? key[1] : key[3], 2));
  return max(odd ? second : first, lane_xor(odd ? first : second, 1));
}

/// The value of largest magnitude (see extreme_key()) of the chunk whose scale this lane makes.
__device__ __forceinline__ float find_extreme(const float (&x)[kHalfValues]) {
  const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
  std::uint32_t key[kHalfChunks];
#pragma unroll
  for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
    key[chunk] = extreme_key<GpuMath>(x[chunk * kChunkValues]);
#pragma unroll
    for (int i = 1; i < kChunkValues; ++i) {
      key[chunk] = max(key[chunk], extreme_key<GpuMath>(x[chunk * kChunkValues + i]));
    }
  }
  return extreme_of_key<GpuMath>(spread_max(key, max));
}

/// The same for 16-bit elements as they lie in memory, a chunk a 16-byte word: the largest signed integer is
/// the largest positive value, if there is one, the largest unsigned one the negative value of largest
/// magnitude, if there is one.
template <class E>
__device__ __forceinline__ float find_extreme(const uint4 (&x)[kHalfChunks]) {
  constexpr std::uint32_t kSign = 0x8000;
  std::uint32_t key[kHalfChunks];
#pragma unroll
  for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
    const uint4 q = x[chunk];
    const auto positive = max_signed_halves(max_signed_halves(q.x, q.y), max_signed_halves(q.z, q.w));
    const auto negative = max_unsigned_halves(max_unsigned_halves(q.x, q.y), max_unsigned_halves(q.z, q.w));
    // Both side by side; the signed one with its sign bit turned, so that one unsigned comparison orders
    // both.
    key[chunk] =
        max_unsigned_halves(low_halves(positive, negative) ^ kSign, high_halves(positive, negative) ^ kSign);
  }
  const std::uint32_t both = spread_max(key, max_unsigned_halves);
  const auto rotated = [](std::uint32_t half) { return (half << 1 | half >> 15) & 0xFFFFU; };
  const std::uint32_t positive = rotated((both & 0xFFFFU) ^ kSign);
  const std::uint32_t negative = rotated(both >> 16);
  const std::uint32_t largest = positive > negative ? positive : negative;
  const std::uint32_t half = largest >> 1 | (largest & 1U) << 15;
  return E::kType == DataType::kFloat16 ? low_float16(half) : __uint_as_float(half << 16);
}

}  // namespace qr::gpu
