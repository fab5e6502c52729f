// A packet of a block codec in the registers of its lanes, and its way to and from memory.
//
// On the wire: 128 bytes of scale words, four bytes a lane, then the lanes' words: 16 bytes each as often as that goes, at
// last 8 bytes each where the number of bits is odd. Every store of a group of lanes is one contiguous piece.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../packet.hpp"
#include "gpu_block.hpp"

namespace qr::gpu {

template <class C>
struct PacketRegisters {
  static constexpr int kWords = kHalves * C::kBits;
  static constexpr int kQuads = kWords / 4;
  static constexpr bool kPair = kWords % 4 != 0;
  static_assert(kWords % 2 == 0);

  std::uint32_t words[kWords];
  std::uint32_t scales;  // of chunks j and 4 + j in lane j of four: first half's word low, second half's high

  __device__ void store(std::byte* packet, int lane) const {
    store_peer(reinterpret_cast<std::uint32_t*>(packet) + lane, scales);
    auto* quads = reinterpret_cast<uint4*>(packet + kScaleBytes);
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      store_peer(quads + i * kWarpLanes + lane,
                 make_uint4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]));
    }
    if constexpr (kPair) {
      store_peer(reinterpret_cast<uint2*>(quads + kQuads * kWarpLanes) + lane,
                 make_uint2(words[kWords - 2], words[kWords - 1]));
    }
  }

  /// The words of one half, and all scales.
  template <int kHalf>
  __device__ void load(const std::byte* packet, int lane) {
    constexpr int kFirst = kHalf * C::kBits;
    constexpr int kEnd = kFirst + C::kBits;
    scales = load_inbox(reinterpret_cast<const std::uint32_t*>(packet) + lane);
    const auto* quads = reinterpret_cast<const uint4*>(packet + kScaleBytes);
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      if (4 * i + 4 <= kFirst || 4 * i >= kEnd) continue;
      const uint4 quad = load_inbox(quads + i * kWarpLanes + lane);
      words[4 * i] = quad.x;
      words[4 * i + 1] = quad.y;
      words[4 * i + 2] = quad.z;
      words[4 * i + 3] = quad.w;
    }
    if constexpr (kPair && kEnd > 4 * kQuads) {
      const uint2 pair = load_inbox(reinterpret_cast<const uint2*>(quads + kQuads * kWarpLanes) + lane);
      words[kWords - 2] = pair.x;
      words[kWords - 1] = pair.y;
    }
  }

  /// Adds this packet's half to `total` (see HalfCodec::add).
  template <class E, int kUnits, int kHalf>
  __device__ void add(float (&total)[kHalfValues]) const {
    const auto word = [this](int chunk) {
      const std::uint32_t both = lane_of_four(scales, chunk);
      return kHalf == 0 ? both & 0xFFFFU : both >> 16;
    };
    HalfCodec<C, E>::template add<kUnits>(words + kHalf * C::kBits, word, total);
  }

  /// Makes this packet's half from values.
  template <class E, int kUnits, int kHalf>
  __device__ void encode(const float (&x)[kHalfValues]) {
    const std::uint32_t word = HalfCodec<C, E>::template encode<kUnits>(x, words + kHalf * C::kBits);
    scales = kHalf == 0 ? word : scales | word << 16;
  }
};

}  // namespace qr::gpu
