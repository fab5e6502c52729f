// What one thread has of the vector in a flagged exchange: loaded, encoded, added and stored by itself. The
// same bits as the teams of gpu_team.hpp and gpu_raw_team.hpp.
#pragma once

#include "../block.hpp"
#include "gpu_conversion.hpp"
#include "gpu_flagged.hpp"
#include "gpu_raw_sum.hpp"
#include "gpu_rows.hpp"
#include "gpu_vector.hpp"

namespace qr::gpu {

/// kValues of a vector, by their number.
template <class E, int kValues>
class ShareOfVector {
  static constexpr std::int64_t kBytes = kValues * static_cast<std::int64_t>(sizeof(typename E::Storage));

 public:
  static constexpr int kQuads = static_cast<int>(kBytes / 16);
  /// As it lies in memory.
  struct Input {
    uint4 quad[kQuads];
  };

  __device__ ShareOfVector(std::int64_t count, std::int64_t share)
      : offset_(share * kBytes), left_(count - share * kValues) {}
  /// False where the vector has ended.
  __device__ bool exists() const { return left_ > 0; }

  __device__ void load(const void* vector, uint4 (&quad)[kQuads]) const {
    const auto* at = static_cast<const std::byte*>(vector) + offset_;
    InputPacket<E>(at, valid(), whole(vector)).template load<true>(LaneWords<kQuads>{0, 0}, quad);
  }
  __device__ void store(void* vector, const uint4 (&quad)[kQuads]) const {
    auto* at = static_cast<std::byte*>(vector) + offset_;
    OutputPacket<E>(at, valid(), whole(vector)).store(LaneWords<kQuads>{0, 0}, quad);
  }

 private:
  /// The word behind the share included (see InputPacket).
  __device__ int valid() const {
    constexpr std::int64_t kMost = kValues + 16 / static_cast<std::int64_t>(sizeof(typename E::Storage));
    return left_ < 0 ? 0 : static_cast<int>(left_ < kMost ? left_ : kMost);
  }
  __device__ bool whole(const void* vector) const { return left_ >= kValues && misfit<E>(vector) == 0; }

  std::int64_t offset_;  // bytes
  std::int64_t left_;
};

/// Eight values of a block codec, a quarter of a block: four neighbouring threads hold one. Their scale
/// travels with the codes of each.
template <class C, class E>
class BlockShare {
  using M = GpuMath;
  static constexpr int kBits = C::kBits;
  static constexpr int kUnits = E::kHeadroom;

 public:
  static constexpr int kValues = kChunkValues;
  static constexpr int kPairs = kBits <= 6 ? 1 : 2;  // two rows of codes, and the scale's 16 bits
  using Place = ShareOfVector<E, kValues>;
  using Input = typename Place::Input;
  struct Values {
    float x[kValues];
  };

  __device__ static Input load(const Place& place, const void* send) {
    Input input;
    place.load(send, input.quad);
    return input;
  }

  /// All threads of a warp come here.
  __device__ static Payload<kPairs> encode(const Input& input) {
    float x[kValues];
#pragma unroll
    for (int i = 0; i < Place::kQuads; ++i) to_reals<E>(input.quad[i], x + i * (kValues / Place::kQuads));
    const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
    std::uint32_t key = extreme_key<M>(x[0]);
#pragma unroll
    for (int i = 1; i < kValues; ++i) key = max(key, extreme_key<M>(x[i]));
    key = max(key, lane_xor(key, 1));
    key = max(key, lane_xor(key, 2));
    const BlockScale<M> scale = block_scale<C, E, M, 0>(extreme_of_key<M>(key));
    if constexpr (Conversion<C>::kNative) {
      Payload<kPairs> payload = {};
      Conversion<C>::template encode<false>([&](int i) { return __fmul_rn(x[i], scale.inverse); },
                                            payload.word);
      payload.word[kScaleWord] = scale.word;
      return payload;
    } else {
      return packed(encode_row<C, false>([&](int i) { return x[i]; }, scale.inverse),
                    encode_row<C, false>([&](int i) { return x[4 + i]; }, scale.inverse), scale.word);
    }
  }

  __device__ static Values decode(const Payload<kPairs>& payload) {
    Values values = {};
    add(payload, values.x);
    return values;
  }
  /// The next rank's values: this one's, or those of a payload.
  __device__ void add(bool own, const Values& mine, const Payload<kPairs>& theirs) {
    if (!own) return add(theirs, total_);
#pragma unroll
    for (int i = 0; i < kValues; ++i) total_[i] = __fadd_rn(total_[i], mine.x[i]);
  }

  __device__ void finish(const Place& place, void* recv) {
    if constexpr (kUnits != 0) {
#pragma unroll
      for (int i = 0; i < kValues; ++i) total_[i] = __fmul_rn(total_[i], power_of_two(kUnits));
    }
    uint4 quad[Place::kQuads];
#pragma unroll
    for (int i = 0; i < Place::kQuads; ++i)
      quad[i] = from_reals<E, true>(total_ + i * (kValues / Place::kQuads));
    place.store(recv, quad);
  }

 private:
  static constexpr int kScaleWord = kBits <= 4 ? 1 : 2;  // but with 5 or 6 bits it shares word 1 with codes

  __device__ static Payload<kPairs> packed(std::uint32_t first, std::uint32_t second, std::uint32_t scale) {
    if constexpr (kBits <= 4) return {{first | second << 4, scale}};
    if constexpr (kPairs == 2) return {{first, second, scale, 0}};
    std::uint32_t rest = second >> 2 & 0x0F0F0F0FU;  // the upper 4 of 6 bits
    rest |= rest >> 4;
    return {{first | (second & 0x03030303U) << 6, scale << 16 | (rest >> 8 & 0xFF00U) | (rest & 0xFFU)}};
  }

  __device__ static void add(const Payload<kPairs>& payload, float* total) {
    const std::uint32_t word = payload.word[0];
    if constexpr (Conversion<C>::kNative) {
      const float scale = decode_scale<M, kUnits>(payload.word[kScaleWord]);
      float x[kValues];
      Conversion<C>::decode(payload.word, x);
#pragma unroll
      for (int i = 0; i < kValues; ++i) total[i] = __fmaf_rn(x[i], scale, total[i]);  // an exact product
    } else if constexpr (kBits <= 4) {
      add_rows(word & 0x0F0F0F0FU, word >> 4 & 0x0F0F0F0FU, payload.word[1], total);
    } else if constexpr (kPairs == 2) {
      add_rows(word, payload.word[1], payload.word[2], total);
    } else {
      std::uint32_t rest = (payload.word[1] & 0xFF00U) << 8 | (payload.word[1] & 0xFFU);
      rest = (rest | rest << 4) & 0x0F0F0F0FU;
      add_rows(word & 0x3F3F3F3FU, (word >> 6 & 0x03030303U) | rest << 2, payload.word[1] >> 16, total);
    }
  }
  __device__ static void add_rows(std::uint32_t first, std::uint32_t second, std::uint32_t scale_word,
                                  float* total) {
    const float scale = decode_scale<M, kUnits>(scale_word);
    add_row<C>(first, scale, total);
    add_row<C>(second, scale, total + 4);
  }

  float total_[kValues] = {};
};

/// Sixteen bytes of raw elements.
template <class E, ReduceOp kOp>
class RawShare {
 public:
  static constexpr int kValues = static_cast<int>(16 / sizeof(typename E::Storage));
  static constexpr int kPairs = 2;
  using Place = ShareOfVector<E, kValues>;

  using Input = typename Place::Input;
  using Values = Input;

  __device__ static Input load(const Place& place, const void* send) {
    Input input;
    place.load(send, input.quad);
    return input;
  }
  __device__ static Payload<kPairs> encode(const Input& input) {
    const uint4& quad = input.quad[0];
    return {{quad.x, quad.y, quad.z, quad.w}};
  }
  __device__ static Values decode(const Payload<kPairs>& payload) {
    return {{make_uint4(payload.word[0], payload.word[1], payload.word[2], payload.word[3])}};
  }
  __device__ void add(bool own, const Values& mine, const Payload<kPairs>& theirs) {
    total_.add((own ? mine : decode(theirs)).quad, first_);
    first_ = false;
  }

  __device__ void finish(const Place& place, void* recv) {
    uint4 quad[1];
    total_.finish(quad);
    place.store(recv, quad);
  }

 private:
  RawSum<E, kOp, 1> total_;
  bool first_ = true;
};

}  // namespace qr::gpu
