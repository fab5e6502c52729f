// Half a packet of a block codec in the registers of one group of 32 lanes: 32 blocks encoded, or decoded and added.
//
// A chunk is 256 consecutive values, eight a lane; a half packet is four chunks, a packet eight. Four neighbouring lanes
// hold a block of each chunk. Lane j of the four makes the scale of chunk j of the half for all of them.
#pragma once

#include <cstdint>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "gpu_element.hpp"

namespace qr::gpu {

inline constexpr int kHalves = 2;
inline constexpr int kHalfChunks = 4;
inline constexpr int kHalfValues = kHalfChunks * kChunkValues;  // of one lane

/// Integer codecs have a shorter way from byte to value; tests compare it with the codec's own decode().
template <class C>
concept IntegerSteps = requires { C::kSteps; };

template <class C, class E>
struct HalfCodec {
  using M = GpuMath;
  using Words = UnsignedWordOps<std::uint32_t>;
  static constexpr int kBits = C::kBits;  // also: words of a lane's half packet

  /// Extreme keys of four blocks, one in each lane of four: lane j gets that of chunk j.
  __device__ static std::uint32_t spread_max(const std::uint32_t (&key)[kHalfChunks]) {
    const bool upper = (threadIdx.x & 2U) != 0;
    const bool odd = (threadIdx.x & 1U) != 0;
    const std::uint32_t first = umax(upper ? key[2] : key[0], lane_xor(upper ? key[0] : key[2], 2));
    const std::uint32_t second = umax(upper ? key[3] : key[1], lane_xor(upper ? key[1] : key[3], 2));
    return umax(odd ? second : first, lane_xor(odd ? first : second, 1));
  }

  /// 32 values of this lane, in units of 2^kUnits, to kBits words and the scale word of this lane's chunk.
  template <int kUnits>
  __device__ static std::uint32_t encode(const float (&x)[kHalfValues], std::uint32_t* words) {
    std::uint32_t key[kHalfChunks];
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      key[chunk] = extreme_key<M>(x[chunk * kChunkValues]);
#pragma unroll
      for (int i = 1; i < kChunkValues; ++i) {
        key[chunk] = umax(key[chunk], extreme_key<M>(x[chunk * kChunkValues + i]));
      }
    }
    // The codes of a block of NaN are whatever they are: its scale word makes all of it NaN. So `keep` is not looked at.
    const BlockScale<M> scale = block_scale<C, E, M, kUnits>(extreme_of_key<M>(spread_max(key)));
    std::uint32_t rows[2 * kHalfChunks];
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      const float inverse = __uint_as_float(lane_of_four(__float_as_uint(scale.inverse), chunk));
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const float* four = x + chunk * kChunkValues + 4 * row;
        rows[2 * chunk + row] =
            gather_bytes(C::template encode<M>(four[0], inverse), C::template encode<M>(four[1], inverse),
                         C::template encode<M>(four[2], inverse), C::template encode<M>(four[3], inverse));
      }
    }
    pack<kBits, Words>(rows, words);
    return scale.word;
  }

  /// Adds the 32 values of kBits words to `total`, in units of 2^kUnits. A sum starts from +0, to which adding anything
  /// that a codec decodes is exact. `word(chunk)` is the scale word of a chunk of this half, in the low half of 32 bits.
  template <int kUnits, class WordOf>
  __device__ static void add(const std::uint32_t* words, const WordOf& word, float (&total)[kHalfValues]) {
    std::uint32_t rows[2 * kHalfChunks];
    unpack<kBits, Words>(words, rows);
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      const float scale = decode_scale<M, kUnits>(word(chunk));
      float* eight = total + chunk * kChunkValues;
      add_four(rows[2 * chunk], scale, eight);
      add_four(rows[2 * chunk + 1], scale, eight + 4);
    }
  }

 private:
  __device__ static std::uint32_t umax(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

  __device__ static void add_four(std::uint32_t row, float scale, float* total) {
    add_one<0>(row, scale, total[0]);
    add_one<1>(row, scale, total[1]);
    add_one<2>(row, scale, total[2]);
    add_one<3>(row, scale, total[3]);
  }

  template <int kByte>
  __device__ static void add_one(std::uint32_t row, float scale, float& total) {
    if constexpr (IntegerSteps<C>) {
      // Integer times scale is exact, so one rounding remains, the sum's; and 0 * scale + 0 is +0 whatever its sign.
      total = __fmaf_rn(byte_less<kByte, C::kSteps>(row), scale, total);
    } else {
      total = __fadd_rn(total, C::template decode<M>(row >> (8 * kByte) & 0xFFU, scale));
    }
  }
};

}  // namespace qr::gpu
