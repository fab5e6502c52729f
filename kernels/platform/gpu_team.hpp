// GpuTeam: the Team of kernels/protocol.hpp for one block of a GPU under a block codec. A warp takes one
// packet of a tile and holds it encoded in its registers.
#pragma once

#include "gpu_block.hpp"
#include "gpu_inbox.hpp"
#include "gpu_vector.hpp"

namespace qr::gpu {

template <class C, class E>
class GpuTeam : public GpuInbox<C> {
  using Base = GpuInbox<C>;
  using Base::call_;
  using Base::lane;
  using Base::load_part;
  using Base::place;
  using typename Base::Part;
  using typename Base::PeerParts;
  static constexpr int kUnits = E::kHeadroom;
  /// Of a chunk of this lane.
  static constexpr int kQuads = Chunk<E>::kQuads;
  using Input = InputPacket<E>;
  using Output = OutputPacket<E>;
  /// This lane's 32 values of a half packet, as they lie in memory.
  struct Values {
    uint4 quad[kHalfChunks * kQuads];
  };

 public:
  using typename Base::Held;
  static constexpr int kValues = kPacketValues;
  static constexpr bool kWide = sizeof(typename E::Storage) > 2;

  using Base::Base;
  using Base::rank;
  using Base::world;

  __device__ Held hold(int) const { return {}; }

  __device__ void prefetch(std::int64_t packet) const {
    Base::template prefetch_packet<kValues* static_cast<int>(sizeof(typename E::Storage))>(packet);
  }

  __device__ void encode(Held& held, int, std::int64_t packet) const {
    const Input from = input(packet);
    held.forget();
    if constexpr (kQuads == 1) {
      constexpr int kUnrolled = kEncodesPairs<C, E> ? kHalves : 1;  // the code is short
      Values values[kHalves] = {load(from, 0), load(from, 1)};  // all loads in flight before the first use
#pragma unroll kUnrolled
      for (int half = 0; half < kHalves; ++half) {
        Words words;
        const std::uint32_t scale = Codec::encode(values[0].quad, words.word);
        held.set_half(half, words, scale);
        values[0] = values[1];  // registers have no index
      }
    } else {
#pragma unroll 1
      for (int half = 0; half < kHalves; ++half) {
        const Values values = load(from, half);
        float x[kHalfValues];
        to_floats(values, x);
        Words words;
        const std::uint32_t scale = Codec::template encode<0, false>(
            find_extreme(x), [&](int i) { return x[i]; }, words.word);
        held.set_half(half, words, scale);
      }
    }
  }

  __device__ void push(const Held& held, int slot, std::int64_t, int peer, Ring ring, Epoch epoch) const {
    held.store(place(peer, ring, epoch, rank(), slot), lane());
  }

  /// All ranks' packets in rank order, the own one as it was sent.
  __device__ void sum(const Held& held, int slot, std::int64_t packet, Epoch epoch) const {
    const Output to = output(packet);
    if (world() == 2) {
      sum_two(held, slot, epoch, to);
      return;
    }
    PeerParts peers(*this, slot, epoch);
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) {
      float total[kHalfValues] = {};
      bool large = false;
#pragma unroll 1  // the registers of one packet at a time
      for (int source = 0; source < world(); ++source) {
        Part part = {held.half(half), held.scales};
        if (source != rank()) part = peers.take();
        const std::uint32_t scales = part.scales >> (16 * half);
        large = large || is_large(scales);
        Codec::template add<0>(part.words.word, scales, total);
      }
      Values values = to_values(total);
      if (any_lane(large)) [[unlikely]]
        values = sum_large(held, slot, epoch, half);
      to.store(words_of(half), values.quad);
    }
  }

  /// The peers' packets and the own exact values in rank order, encoded.
  __device__ void reduce(Held& held, int slot, std::int64_t packet, Epoch epoch) const {
    const Input from = input(packet);
    PeerParts peers(*this, slot, epoch);
    held.forget();
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) {
      const Values own = load(from, half);
      float total[kHalfValues];
      if (kPlainSums && world() == 2) {
        // One rounding, so the order makes no difference.
        to_floats(own, total);
        const Part part = peers.take();
        Codec::template add<0>(part.words.word, part.scales >> (16 * half), total);
      } else {
        add_all<kPlainSums ? 0 : kUnits>(own, half, total, [&](int) { return peers.take(); });
      }
      const float extreme = find_extreme(total);
      Words words;
      std::uint32_t scale = 0;
      const auto value = [&](int i) { return total[i]; };
      if constexpr (!kPlainSums) {
        scale = Codec::template encode<kUnits, true>(extreme, value, words.word);
      } else if (any_lane(!(fabsf(extreme) <= static_cast<float>(E::kMax)))) [[unlikely]] {
        mark_rare();
        // Beyond the element's range, and perhaps beyond fp32's on the way: once more, with headroom.
        add_all<kUnits>(load(from, half), half, total, [&](int source) {
          return load_part(place(rank(), Ring::kScatter, epoch, source, slot), half);
        });
        scale = Codec::template encode<kUnits, true>(find_extreme(total), value, words.word);
      } else {
        scale = Codec::template encode<0, false>(extreme, value, words.word);
      }
      held.set_half(half, words, scale);
    }
  }

  /// A reduced packet to the user's result.
  __device__ void complete(Held& held, int slot, std::int64_t packet, int owner, Epoch epoch) const {
    if (owner != rank()) held.load(place(rank(), Ring::kGather, epoch, owner, slot), lane());
    decode(held, packet);
  }

  /// A packet in memory, decoded, to the user's result.
  __device__ void decode_packet(const std::byte* from, std::int64_t packet) const {
    Held held;
    held.load(from, lane());  // all of it in flight before the first use
    decode(held, packet);
  }

 private:
  using Codec = HalfCodec<C, E>;
  using Pair = PairCodec<C, E>;
  using Words = HalfRegisters<C>;

  /// This lane's words of a half.
  __device__ static LaneWords<kQuads> words_of(int half) {
    return {(half * kHalfChunks * kWarpLanes + lane()) * kQuads, kWarpLanes * kQuads};
  }

  __device__ static Values load(const Input& from, int half) {
    Values values;
    from.template load<true>(words_of(half), values.quad);
    return values;
  }

  __device__ static void to_floats(const Values& values, float (&x)[kHalfValues]) {
#pragma unroll
    for (int i = 0; i < kHalfChunks * kQuads; ++i)
      to_reals<E>(values.quad[i], x + i * (kChunkValues / kQuads));
  }

  __device__ static Values to_values(const float (&x)[kHalfValues]) {
    Values values;
#pragma unroll
    for (int i = 0; i < kHalfChunks * kQuads; ++i)
      values.quad[i] = from_reals<E>(x + i * (kChunkValues / kQuads));
    return values;
  }

  __device__ void decode(const Held& held, std::int64_t packet) const {
    const Output to = output(packet);
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half)
      decode_half(held.half(half), held.scales >> (16 * half), to, half);
  }
  __device__ static void decode_half(const Words& words, std::uint32_t scales, const Output& to, int half) {
    Values values;
    if constexpr (kDecodesPairs<C, E>) {
      Pair::decode(words.word, scales, values.quad);
    } else {
      float x[kHalfValues] = {};
      Codec::template add<0>(words.word, scales, x);
      values = to_values(x);
    }
    to.store(words_of(half), values.quad);
  }

  /// Sums of 16-bit elements are made in plain units: whatever is added is a multiple of 2^-141 (bf16), so
  /// that units of 2^8 change no bit, and what goes beyond fp32 on the way ends as Inf or NaN. (Packets of
  /// 8-bit codes leave no registers for a second attempt.)
  static constexpr bool kPlainSums = kQuads == 1 && C::kBits <= 6;

  /// A half of the own exact values and the parts that part_of(peer) gives, in rank order, in units of 2^kIn.
  template <int kIn, class PartOf>
  __device__ void add_all(const Values& own, int half, float (&total)[kHalfValues],
                          const PartOf& part_of) const {
#pragma unroll
    for (int i = 0; i < kHalfValues; ++i) total[i] = 0;
#pragma unroll 1
    for (int source = 0; source < world(); ++source) {
      if (source == rank()) {
        float x[kHalfValues];
        to_floats(own, x);
#pragma unroll
        for (int i = 0; i < kHalfValues; ++i) total[i] = __fmaf_rn(x[i], power_of_two(-kIn), total[i]);
      } else {
        const Part part = part_of(source);
        Codec::template add<kIn>(part.words.word, part.scales >> (16 * half), total);
      }
    }
  }

  /// sum() of two ranks, whose order makes no difference.
  __device__ void sum_two(const Held& held, int slot, Epoch epoch, const Output& to) const {
    const int peer = 1 - rank();
    const std::byte* const from = place(rank(), Ring::kScatter, epoch, peer, slot);
    Held theirs;
    theirs.load(from, lane());  // all of it in flight before the first use
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) {
      const Words own = held.half(half);
      const Words other = theirs.half(half);
      const std::uint32_t own_scales = held.scales >> (16 * half);
      const std::uint32_t other_scales = theirs.scales >> (16 * half);
      bool special = is_large(own_scales) || is_large(other_scales);
      if constexpr (Pair::kAdds)
        special = special || Pair::is_small(own_scales) || Pair::is_small(other_scales);
      Values values;
      if (any_lane(special)) [[unlikely]] {
        values = sum_large(held, slot, epoch, half);
      } else if constexpr (Pair::kAdds) {
        Pair::add_two(own.word, own_scales, other.word, other_scales, values.quad);
      } else {
        Codec::add_two(own.word, own_scales, other.word, other_scales, [&](int chunk, const float* sums) {
#pragma unroll
          for (int i = 0; i < kQuads; ++i)
            values.quad[chunk * kQuads + i] = from_reals<E>(sums + i * (kChunkValues / kQuads));
        });
      }
      to.store(words_of(half), values.quad);
    }
  }

  /// Whether a sum of blocks of such scales could be beyond the element's range, or is NaN.
  __device__ bool is_large(std::uint32_t scales) const {
    constexpr auto kLimit = static_cast<float>(E::kMax / C::kLargest / 2);
    return !(fabsf(decode_scale<GpuMath, 0>(scales & 0xFFFFU)) * static_cast<float>(world()) <= kLimit);
  }

  /// A half of sum() with scales of any size: in units that leave headroom, and within the element's range at
  /// last. Otherwise the same bits. Rare, so it takes few registers rather than little time.
  __device__ Values sum_large(const Held& held, int slot, Epoch epoch, int half) const {
    mark_rare();
    Values values;
#pragma unroll
    for (int chunk = 0; chunk < kHalfChunks; ++chunk) {
      float total[kChunkValues] = {};
#pragma unroll 1
      for (int source = 0; source < world(); ++source) {
        Part part = {held.half(half), held.scales};
        if (source != rank()) part = load_part(place(rank(), Ring::kScatter, epoch, source, slot), half);
        Codec::template add_chunk<kUnits>(part.words.word, part.scales >> (16 * half), chunk, total);
      }
      if constexpr (kUnits != 0) {
#pragma unroll
        for (int i = 0; i < kChunkValues; ++i) total[i] = __fmul_rn(total[i], power_of_two(kUnits));
      }
#pragma unroll
      for (int i = 0; i < kQuads; ++i)
        values.quad[chunk * kQuads + i] = from_reals<E, true>(total + i * (kChunkValues / kQuads));
    }
    return values;
  }

  __device__ InputPacket<E> input(std::int64_t packet) const {
    return input_packet<E, kValues>(call_.send, call_.count, packet);
  }
  __device__ OutputPacket<E> output(std::int64_t packet) const {
    return output_packet<E, kValues>(call_.recv, call_.count, packet);
  }
};

}  // namespace qr::gpu
