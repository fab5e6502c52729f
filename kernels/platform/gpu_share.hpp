// What one thread has of the vector in a flagged exchange: loaded, encoded, added and stored by itself. The
// same bits as the teams of gpu_team.hpp and gpu_raw_team.hpp.
#pragma once

#include "../block.hpp"
#include "gpu_conversion.hpp"
#include "gpu_flagged.hpp"
#include "gpu_raw_sum.hpp"
#include "gpu_vector.hpp"

namespace qr::gpu {

/// kValues of a vector, by their number.
template <class E, int kValues>
class ShareOfVector {
  static constexpr std::int64_t kBytes = kValues * static_cast<std::int64_t>(sizeof(typename E::Storage));

 public:
  static constexpr int kQuads = static_cast<int>(kBytes / 16);

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
  static constexpr int kPayloadBytes = kBits + 2;  // eight codes and a scale word
  static constexpr int kUnits = E::kHeadroom;

 public:
  static constexpr int kValues = kChunkValues;
  static constexpr int kPairs = (kPayloadBytes + 7) / 8;
  using Place = ShareOfVector<E, kValues>;

  /// All threads of a warp come here.
  __device__ static Payload<kPairs> encode(const Place& place, const void* send) {
    uint4 quad[Place::kQuads];
    place.load(send, quad);
    float x[kValues];
#pragma unroll
    for (int i = 0; i < Place::kQuads; ++i) to_reals<E>(quad[i], x + i * (kValues / Place::kQuads));
    const auto max = [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; };
    std::uint32_t key = extreme_key<M>(x[0]);
#pragma unroll
    for (int i = 1; i < kValues; ++i) key = max(key, extreme_key<M>(x[i]));
    key = max(key, lane_xor(key, 1));
    key = max(key, lane_xor(key, 2));
    const BlockScale<M> scale = block_scale<C, E, M, 0>(extreme_of_key<M>(key));
    std::uint64_t codes = 0;
    if constexpr (Conversion<C>::kNative) {
      std::uint32_t words[2] = {};
      Conversion<C>::template encode<false>([&](int i) { return __fmul_rn(x[i], scale.inverse); }, words);
      codes = static_cast<std::uint64_t>(words[1]) << 32 | words[0];
    } else {
#pragma unroll
      for (int i = 0; i < kValues; ++i) {
        codes |= static_cast<std::uint64_t>(C::template encode<M>(x[i], scale.inverse)) << (kBits * i);
      }
    }
    Payload<kPairs> payload = {};
    if constexpr (kBits <= 6) {
      codes |= static_cast<std::uint64_t>(scale.word) << (kBits * kValues);
    } else {
      payload.word[2] = scale.word;
    }
    payload.word[0] = static_cast<std::uint32_t>(codes);
    payload.word[1] = static_cast<std::uint32_t>(codes >> 32);
    return payload;
  }

  __device__ void add(const Payload<kPairs>& payload, bool) {
    const std::uint64_t codes = static_cast<std::uint64_t>(payload.word[1]) << 32 | payload.word[0];
    std::uint32_t word = 0;
    if constexpr (kBits <= 6) {
      word = static_cast<std::uint32_t>(codes >> (kBits * kValues)) & 0xFFFFU;
    } else {
      word = payload.word[2];
    }
    const float scale = decode_scale<M, kUnits>(word);
    if constexpr (Conversion<C>::kNative) {
      float x[kValues];
      Conversion<C>::decode(payload.word, x);
#pragma unroll
      for (int i = 0; i < kValues; ++i) total_[i] = __fmaf_rn(x[i], scale, total_[i]);  // an exact product
    } else {
#pragma unroll
      for (int i = 0; i < kValues; ++i) {
        const auto code = static_cast<std::uint32_t>(codes >> (kBits * i)) & ((1U << kBits) - 1U);
        total_[i] = __fadd_rn(total_[i], C::template decode<M>(code, scale));
      }
    }
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
  float total_[kValues] = {};
};

/// Sixteen bytes of raw elements.
template <class E, ReduceOp kOp>
class RawShare {
 public:
  static constexpr int kValues = static_cast<int>(16 / sizeof(typename E::Storage));
  static constexpr int kPairs = 2;
  using Place = ShareOfVector<E, kValues>;

  __device__ static Payload<kPairs> encode(const Place& place, const void* send) {
    uint4 quad[1];
    place.load(send, quad);
    return {{quad[0].x, quad[0].y, quad[0].z, quad[0].w}};
  }
  __device__ void add(const Payload<kPairs>& payload, bool first) {
    const uint4 quad[1] = {make_uint4(payload.word[0], payload.word[1], payload.word[2], payload.word[3])};
    total_.add(quad, first);
  }
  __device__ void finish(const Place& place, void* recv) {
    uint4 quad[1];
    total_.finish(quad);
    place.store(recv, quad);
  }

 private:
  RawSum<E, kOp, 1> total_;
};

}  // namespace qr::gpu
