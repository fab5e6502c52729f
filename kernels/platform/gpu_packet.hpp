// A packet of a block codec in the registers of its lanes, and its way to and from memory.
//
// On the wire: 128 bytes of scale words, four bytes a lane; then the first half's words and the second
// half's, each kBits words a lane: 16 bytes of every lane as often as that goes, then 8, then 4. Every store
// of the lanes is one contiguous piece. The two halves are treated alike, by loops that stay loops: the code
// of both would not fit the instruction cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../packet.hpp"
#include "gpu_math.hpp"

namespace qr::gpu {

/// A lane's words of half a packet.
template <class C>
struct HalfRegisters {
  static constexpr int kQuads = C::kBits / 4;
  static constexpr bool kPair = (C::kBits & 2) != 0;
  static constexpr bool kSingle = (C::kBits & 1) != 0;
  static constexpr std::size_t kBytes =
      static_cast<std::size_t>(C::kBits) * sizeof(std::uint32_t) * kWarpLanes;

  std::uint32_t word[C::kBits];

  __device__ void store(std::byte* half, int lane) const {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      store_peer(reinterpret_cast<uint4*>(half) + i * kWarpLanes + lane,
                 make_uint4(word[4 * i], word[4 * i + 1], word[4 * i + 2], word[4 * i + 3]));
    }
    std::byte* rest = half + kQuads * kWarpLanes * 16;
    if constexpr (kPair) {
      store_peer(reinterpret_cast<uint2*>(rest) + lane, make_uint2(word[4 * kQuads], word[4 * kQuads + 1]));
      rest += kWarpLanes * 8;
    }
    if constexpr (kSingle) store_peer(reinterpret_cast<std::uint32_t*>(rest) + lane, word[C::kBits - 1]);
  }

  __device__ void load(const std::byte* half, int lane) {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      const uint4 quad = load_inbox(reinterpret_cast<const uint4*>(half) + i * kWarpLanes + lane);
      word[4 * i] = quad.x;
      word[4 * i + 1] = quad.y;
      word[4 * i + 2] = quad.z;
      word[4 * i + 3] = quad.w;
    }
    const std::byte* rest = half + kQuads * kWarpLanes * 16;
    if constexpr (kPair) {
      const uint2 pair = load_inbox(reinterpret_cast<const uint2*>(rest) + lane);
      word[4 * kQuads] = pair.x;
      word[4 * kQuads + 1] = pair.y;
      rest += kWarpLanes * 8;
    }
    if constexpr (kSingle)
      word[C::kBits - 1] = load_inbox(reinterpret_cast<const std::uint32_t*>(rest) + lane);
  }
};

template <class C>
struct PacketRegisters {
  using Half = HalfRegisters<C>;

  Half first;
  Half second;
  std::uint32_t scales;  // of chunks j and 4 + j in lane j of four: first half's word low, second half's high

  /// By value: `?:` on two members is one of two addresses, and what has an address is no register (LLVM).
  __device__ static std::uint32_t choose(bool one, std::uint32_t a, std::uint32_t b) { return one ? a : b; }

  /// Registers have no index: one half or the other, word by word.
  __device__ Half half(int which) const {
    Half chosen;
#pragma unroll
    for (int i = 0; i < C::kBits; ++i) chosen.word[i] = choose(which == 0, first.word[i], second.word[i]);
    return chosen;
  }
  /// Before both halves are set: so that nobody keeps registers for what they were.
  __device__ void forget() {
#pragma unroll
    for (int i = 0; i < C::kBits; ++i) {
      forget_value(first.word[i]);
      forget_value(second.word[i]);
    }
    forget_value(scales);
  }
  __device__ void set_half(int which, const Half& half, std::uint32_t scale_word) {
#pragma unroll
    for (int i = 0; i < C::kBits; ++i) {
      first.word[i] = choose(which == 0, half.word[i], first.word[i]);
      second.word[i] = choose(which == 0, second.word[i], half.word[i]);
    }
    scales = which == 0 ? scale_word : scales | scale_word << 16;
  }

  __device__ void store(std::byte* packet, int lane) const {
    store_peer(reinterpret_cast<std::uint32_t*>(packet) + lane, scales);
    first.store(packet + kScaleBytes, lane);
    second.store(packet + kScaleBytes + Half::kBytes, lane);
  }
  __device__ void load(const std::byte* packet, int lane) {
    scales = load_scales(packet, lane);
    first = load_half(packet, 0, lane);
    second = load_half(packet, 1, lane);
  }
  __device__ static std::uint32_t load_scales(const std::byte* packet, int lane) {
    return load_inbox(reinterpret_cast<const std::uint32_t*>(packet) + lane);
  }
  __device__ static Half load_half(const std::byte* packet, int which, int lane) {
    Half half;
    half.load(packet + kScaleBytes + static_cast<std::size_t>(which) * Half::kBytes, lane);
    return half;
  }
};

}  // namespace qr::gpu
