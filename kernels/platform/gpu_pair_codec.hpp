// Half a packet of an integer codec, two 16-bit elements at once, where the GPU can: the same bits as
// gpu_block.hpp gives one by one in fp32.
#pragma once

#include <cstdint>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "gpu_extreme.hpp"
#include "gpu_pairs.hpp"
#include "gpu_rows.hpp"

namespace qr::gpu {

/// Both elements of a word are encoded at once: the codes fit the integers that are one apart.
template <class C, class E>
inline constexpr bool kEncodesPairs = [] {
  if constexpr (EncodesBytes<C> && kShortInverse<C, E> && Pairs<E>::kNative)
    return C::kBits <= Pairs<E>::kMantissaBits;
  return false;
}();

/// Code times scale is made for both elements of a word at once. In bf16, whose range is fp32's, that rounds
/// as a rounded fp32 product does. In fp16 it is exact: at most 3 bits times 8 bits.
template <class C, class E>
inline constexpr bool kDecodesPairs = [] {
  if constexpr (IntegerSteps<C> && Pairs<E>::kNative)
    return C::kBits <= (E::kType == DataType::kFloat16 ? 4 : Pairs<E>::kMantissaBits);
  return false;
}();

template <class C, class E>
class PairCodec {
  using M = GpuMath;
  using Words = UnsignedWordOps<std::uint32_t>;
  static constexpr int kBits = C::kBits;

 public:
  /// 32 values of 16-bit elements as they lie in memory, a chunk a word of 16 bytes, to kBits words and the
  /// scale word of this lane's chunk.
  __device__ static std::uint32_t encode(const uint4 (&x)[kHalfChunks],
                                         std::uint32_t* words) requires(kEncodesPairs<C, E>) {
    const float extreme = find_extreme<E>(x);
    const BlockScale<M> scale = block_scale<C, E, M, 0>(extreme);
    if constexpr (E::kType == DataType::kFloat16) {
      // The inverse of a small scale is beyond fp16: then the values are raised first, which is exact.
      const bool small = fabsf(extreme) < kSmallExtreme && scale.inverse != 0.0F;
      if (any_lane(small)) [[unlikely]] {
        mark_rare();
        const std::uint32_t raise = small ? twice(0x7400) : twice(0x3C00);  // 2^14 or 1
        uint4 raised[kHalfChunks];
#pragma unroll
        for (int chunk = 0; chunk < kHalfChunks; ++chunk)
          raised[chunk] = times(x[chunk], lane_of_four(raise, chunk), kSigns);
        encode_pairs(P::both(small ? __fmul_rn(scale.inverse, 0x1p-14F) : scale.inverse), raised, words);
        return scale.word;
      }
    }
    encode_pairs(P::both(scale.inverse), x, words);
    return scale.word;
  }

  /// The values of kBits words in 16-bit elements; `scales`: in the low half, the scale word of chunk j in
  /// lane j of four.
  __device__ static void decode(const std::uint32_t* words, std::uint32_t scales,
                                uint4 (&x)[kHalfChunks]) requires(kDecodesPairs<C, E>) {
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) x[chunk] = make_uint4(0, 0, 0, 0);
    float scale = decode_scale<M, 0>(scales & 0xFFFFU);
    bool small = false;
    if constexpr (E::kType == DataType::kFloat16) {
      // Small scales are no fp16: then the products are made of larger ones, and rounded when they are
      // lowered.
      small = is_small(scales);
      if (small) scale = __fmul_rn(scale, 0x1p14F);
    }
    add_products(words, P::both(scale), x);
    if (E::kType == DataType::kFloat16 && any_lane(small)) [[unlikely]] {
      mark_rare();
      const std::uint32_t lower = small ? twice(0x0400) : twice(0x3C00);  // 2^-14 or 1
#pragma unroll
      for (int chunk = 0; chunk < kHalfChunks; ++chunk)
        x[chunk] = times(x[chunk], lane_of_four(lower, chunk), 0);
    }
  }

  /// Whether two ranks' values can be added as pairs: fp16, to which each one decodes without rounding if its
  /// scale is no small one. (A sum in fp32, rounded to fp16, has the same bits: fp32 has more than twice as
  /// many as fp16 and two more, so rounding twice is rounding once.)
  static constexpr bool kAdds = kDecodesPairs<C, E> && E::kType == DataType::kFloat16;
  __device__ static bool is_small(std::uint32_t scales) {
    const float scale = fabsf(decode_scale<M, 0>(scales & 0xFFFFU));
    return scale < kSmallScale && scale != 0.0F;
  }
  /// The sums of two times 32 values, none of them beyond the type's range; `scales` as in decode().
  __device__ static void add_two(const std::uint32_t* words_a, std::uint32_t scales_a,
                                 const std::uint32_t* words_b, std::uint32_t scales_b,
                                 uint4 (&x)[kHalfChunks]) requires(kAdds) {
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) x[chunk] = make_uint4(0, 0, 0, 0);
    add_products(words_a, P::both(decode_scale<M, 0>(scales_a & 0xFFFFU)), x);
    add_products(words_b, P::both(decode_scale<M, 0>(scales_b & 0xFFFFU)), x);
  }

 private:
  using P = Pairs<E>;
  static constexpr std::uint32_t kSigns =
      0x80008000;  // as numbers: -0, which changes nothing that it is added to
  /// Where the inverse of a scale of fp16 elements is still an fp16, whatever the codec: below 2^13.
  static constexpr float kSmallExtreme = 0x1p-8F;
  /// Below it a scale of 8 bits, or its product with a code, may be no fp16.
  static constexpr float kSmallScale = 0x1p-14F;

  /// `inverse`: of the chunk whose scale this lane makes, in both halves.
  __device__ static void encode_pairs(std::uint32_t inverse, const uint4 (&x)[kHalfChunks],
                                      std::uint32_t* words) {
    std::uint32_t rows[2 * kHalfChunks];
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      const std::uint32_t factor = lane_of_four(inverse, chunk);
      // As IntegerCodec::encode_byte(): the sum is rounded to an integer, half to even.
      const auto codes = [&](std::uint32_t pair) {
        return min_unsigned_halves(P::fma(pair, factor, P::kOnes + twice(C::kSteps)),
                                   P::kOnes + twice(2 * C::kSteps - 1));
      };
      rows[2 * chunk] = bytes_of_halves(codes(x[chunk].x), codes(x[chunk].y));
      rows[2 * chunk + 1] = bytes_of_halves(codes(x[chunk].z), codes(x[chunk].w));
    }
    pack<kBits, Words>(rows, words);
  }

  /// Code times scale is added to x. `scale`: of the chunk that is this lane's, in both halves. To +0: a
  /// product's zero comes out as +0.
  __device__ static void add_products(const std::uint32_t* words, std::uint32_t scale,
                                      uint4 (&x)[kHalfChunks]) {
    std::uint32_t rows[2 * kHalfChunks];
    unpack<kBits, Words>(words, rows);
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      const std::uint32_t factor = lane_of_four(scale, chunk);
      const auto plus = [&](std::uint32_t sum, std::uint32_t codes) {
        return P::fma(steps(codes), factor, sum);
      };
      const std::uint32_t upper = rows[2 * chunk];
      const std::uint32_t lower = rows[2 * chunk + 1];
      x[chunk] = make_uint4(plus(x[chunk].x, spread_bytes<0>(upper, P::kOnes)),
                            plus(x[chunk].y, spread_bytes<1>(upper, P::kOnes)),
                            plus(x[chunk].z, spread_bytes<0>(lower, P::kOnes)),
                            plus(x[chunk].w, spread_bytes<1>(lower, P::kOnes)));
    }
  }
  __device__ static uint4 times(const uint4& x, std::uint32_t factor, std::uint32_t plus) {
    return make_uint4(P::fma(x.x, factor, plus), P::fma(x.y, factor, plus), P::fma(x.z, factor, plus),
                      P::fma(x.w, factor, plus));
  }
  /// Codes on kOnes, less kOnes and kSteps: exact.
  __device__ static std::uint32_t steps(std::uint32_t codes) {
    constexpr std::uint32_t kOne = E::kType == DataType::kFloat16 ? twice(0x3C00) : twice(0x3F80);
    return P::fma(codes, kOne, (P::kOnes + twice(C::kSteps)) ^ kSigns);
  }
};

}  // namespace qr::gpu
