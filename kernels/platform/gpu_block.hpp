// Half a packet of a block codec in the registers of one group of 32 lanes: 32 blocks encoded, or decoded and
// added. How blocks lie in lanes: gpu_extreme.hpp.
#pragma once

#include <cstdint>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "gpu_conversion.hpp"
#include "gpu_pair_codec.hpp"

namespace qr::gpu {

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
#pragma unroll
        for (int row = 2 * chunk; row < 2 * chunk + 2; ++row)
          rows[row] = encode_row<C, kSums>([&](int i) { return value(4 * row + i); }, inverse);
      }
      pack<kBits, Words>(rows, words);
    }
    return scale.word;
  }

  /// The same of 16-bit elements as they lie in memory, a chunk a word of 16 bytes.
  __device__ static std::uint32_t encode(const uint4 (&x)[kHalfChunks], std::uint32_t* words) {
    if constexpr (!kEncodesPairs<C, E>) {
      return encode<0, false>(
          find_extreme<E>(x), [&](int i) { return to_real<E>(x[i / kChunkValues], i % kChunkValues); },
          words);
    } else {
      return PairCodec<C, E>::encode(x, words);
    }
  }

  /// Adds the 32 values of kBits words to `total`, in units of 2^kUnits. A sum starts from +0, to which
  /// adding anything that a codec decodes is exact. `scales`: in the low half, the scale word of chunk j in
  /// lane j of four.
  template <int kUnits>
  __device__ static void add(const std::uint32_t* words, std::uint32_t scales, float (&total)[kHalfValues]) {
    const Codes codes(words);
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      codes.add(chunk, decode_scale<M, kUnits>(lane_of_four(scales, chunk) & 0xFFFFU),
                total + chunk * kChunkValues);
    }
  }

  /// The same of one chunk's eight values.
  template <int kUnits>
  __device__ static void add_chunk(const std::uint32_t* words, std::uint32_t scales, int chunk,
                                   float* total) {
    Codes(words).add(chunk, decode_scale<M, kUnits>(lane_of_four(scales, chunk) & 0xFFFFU), total);
  }

  /// The sums of two times 32 values, a chunk at a time: take(chunk, sums of eight values), in plain units.
  template <class Take>
  __device__ static void add_two(const std::uint32_t* words_a, std::uint32_t scales_a,
                                 const std::uint32_t* words_b, std::uint32_t scales_b, const Take& take) {
    const Codes a(words_a);
    const Codes b(words_b);
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      float total[kChunkValues] = {};
      a.add(chunk, decode_scale<M, 0>(lane_of_four(scales_a, chunk) & 0xFFFFU), total);
      b.add(chunk, decode_scale<M, 0>(lane_of_four(scales_b, chunk) & 0xFFFFU), total);
      take(chunk, total);
    }
  }

 private:
  /// Of the codecs that Conversion has: words of a chunk, and which of its values is the i-th from the lowest
  /// bits on (bitpack.hpp: with four bits a byte holds values of two rows).
  static constexpr int kChunkWords = kBits / 4;
  __device__ static constexpr int packed_value(int i) { return kBits == 4 ? i / 2 + i % 2 * 4 : i; }

  /// The codes of a half packet, of which a chunk at a time is added.
  class Codes {
   public:
    __device__ explicit Codes(const std::uint32_t* words) : words_(words) {
      if constexpr (!Conversion<C>::kNative) unpack<kBits, Words>(words, rows_);
    }
    __device__ void add(int chunk, float scale, float* total) const {
      if constexpr (Conversion<C>::kNative) {
        float x[kChunkValues];
        Conversion<C>::decode(words_ + chunk * kChunkWords, x);
#pragma unroll
        for (int i = 0; i < kChunkValues; ++i) {
          float& sum = total[packed_value(i)];
          sum = __fmaf_rn(x[i], scale, sum);  // the product is exact, as in add_row()
        }
      } else {
        add_row<C>(rows_[2 * chunk], scale, total);
        add_row<C>(rows_[2 * chunk + 1], scale, total + 4);
      }
    }

   private:
    const std::uint32_t* words_;
    std::uint32_t rows_[2 * kHalfChunks];
  };
};

}  // namespace qr::gpu
