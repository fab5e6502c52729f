// Half a packet of a block codec in the registers of one group of 32 lanes: 32 blocks encoded, or decoded and
// added.
//
// A chunk is 256 consecutive values, eight a lane; a half packet is four chunks, a packet eight. Four
// neighbouring lanes hold a block of each chunk. Lane j of the four makes the scale of chunk j of the half
// for all of them.
#pragma once

#include <cstdint>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "gpu_conversion.hpp"
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

/// Integer codecs have a shorter way from byte to value; tests compare it with the codec's own decode().
template <class C>
concept IntegerSteps = requires {
  C::kSteps;
};

/// And a shorter one from value to byte.
template <class C>
concept EncodesBytes = requires(float x) {
  C::template encode_byte<GpuMath>(x, x);
};

template <class C, class E>
struct HalfCodec {
  using M = GpuMath;
  using Words = UnsignedWordOps<std::uint32_t>;
  static constexpr int kBits = C::kBits;  // also: words of a lane's half packet

  /// 32 values of this lane, in units of 2^kUnits, to kBits words and the scale word of this lane's chunk.
  /// `extreme` is that of the chunk whose scale this lane makes; `value(i)` gives the values when they are
  /// needed.
  /// kSums: the values may be beyond the element's range, where the block's scale ends.
  template <int kUnits, bool kSums, class ValueOf>
  __device__ static std::uint32_t encode(float extreme, const ValueOf& value, std::uint32_t* words) {
    // The codes of a block of NaN are whatever they are: its scale word makes all of it NaN. So `keep` is not
    // looked at.
    const BlockScale<M> scale = block_scale<C, E, M, kUnits>(extreme);
    if constexpr (Conversion<C>::kNative) {
#pragma unroll
      for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
        const float inverse = __uint_as_float(lane_of_four(__float_as_uint(scale.inverse), chunk));
        const auto at = [&](int i) {
          return __fmul_rn(value(chunk * kChunkValues + packed_value(i)), inverse);
        };
        Conversion<C>::template encode<kSums>(at, words + chunk * kChunkWords);
      }
    } else {
      std::uint32_t rows[2 * kHalfChunks];
#pragma unroll
      for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
        const float inverse = __uint_as_float(lane_of_four(__float_as_uint(scale.inverse), chunk));
        const auto code = [&](int i) {
          if constexpr (!kSums && EncodesBytes<C>) return C::template encode_byte<M>(value(i), inverse);
          return C::template encode<M>(value(i), inverse);
        };
#pragma unroll
        for (int row = 2 * chunk; row < 2 * chunk + 2; ++row) {
          rows[row] = gather_bytes(code(4 * row), code(4 * row + 1), code(4 * row + 2), code(4 * row + 3));
        }
      }
      pack<kBits, Words>(rows, words);
    }
    return scale.word;
  }

  /// Adds the 32 values of kBits words to `total`, in units of 2^kUnits. A sum starts from +0, to which
  /// adding anything that a codec decodes is exact. `scales`: in the low half, the scale word of chunk j in
  /// lane j of four.
  template <int kUnits>
  __device__ static void add(const std::uint32_t* words, std::uint32_t scales, float (&total)[kHalfValues]) {
    if constexpr (Conversion<C>::kNative) {
#pragma unroll
      for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
        const float scale = decode_scale<M, kUnits>(lane_of_four(scales, chunk) & 0xFFFFU);
        float x[kChunkValues];
        Conversion<C>::decode(words + chunk * kChunkWords, x);
#pragma unroll
        for (int i = 0; i < kChunkValues; ++i) {
          float& sum = total[chunk * kChunkValues + packed_value(i)];
          sum = __fmaf_rn(x[i], scale, sum);  // the product is exact, as in add_one()
        }
      }
    } else {
      std::uint32_t rows[2 * kHalfChunks];
      unpack<kBits, Words>(words, rows);
#pragma unroll
      for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
        const float scale = decode_scale<M, kUnits>(lane_of_four(scales, chunk) & 0xFFFFU);
        float* eight = total + chunk * kChunkValues;
        add_four(rows[2 * chunk], scale, eight);
        add_four(rows[2 * chunk + 1], scale, eight + 4);
      }
    }
  }

 private:
  /// Of the codecs that Conversion has: words of a chunk, and which of its values is the i-th from the lowest
  /// bits on (bitpack.hpp: with four bits a byte holds values of two rows).
  static constexpr int kChunkWords = kBits / 4;
  __device__ static constexpr int packed_value(int i) { return kBits == 4 ? i / 2 + i % 2 * 4 : i; }

  __device__ static void add_four(std::uint32_t row, float scale, float* total) {
    add_one<0>(row, scale, total[0]);
    add_one<1>(row, scale, total[1]);
    add_one<2>(row, scale, total[2]);
    add_one<3>(row, scale, total[3]);
  }

  template <int kByte>
  __device__ static void add_one(std::uint32_t row, float scale, float& total) {
    if constexpr (IntegerSteps<C>) {
      // Integer times scale is exact, so one rounding remains, the sum's; and 0 * scale + 0 is +0 whatever
      // its sign.
      total = __fmaf_rn(byte_less<kByte, C::kSteps>(row), scale, total);
    } else {
      total = __fadd_rn(total, C::template decode<M>(row >> (8 * kByte) & 0xFFU, scale));
    }
  }
};

}  // namespace qr::gpu
