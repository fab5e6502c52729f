// GpuTeam: the Team of kernels/protocol.hpp for one block of a GPU under a block codec. A warp takes one
// packet of a tile and holds it encoded in its registers.
#pragma once

#include "gpu_packet.hpp"
#include "gpu_slots.hpp"
#include "gpu_vector.hpp"

namespace qr::gpu {

template <class C, class E>
class GpuTeam : public GpuSlots {
  static constexpr int kUnits = E::kHeadroom;
  /// Of a chunk of this lane.
  static constexpr int kQuads = Chunk<E>::kQuads;
  using Input = InputPacket<E>;
  using Output = OutputPacket<E>;

 public:
  using Held = PacketRegisters<C>;
  static constexpr int kValues = kPacketValues;
  static constexpr bool kWide = sizeof(typename E::Storage) > 2;
  static constexpr std::size_t kSlotBytes = packet_bytes(C::kBits);

  using GpuSlots::GpuSlots;

  __device__ Held hold(int) const { return {}; }

  __device__ void prefetch(std::int64_t packet) const {
    prefetch_packet<kValues* static_cast<int>(sizeof(typename E::Storage))>(packet);
  }

  __device__ void encode(Held& held, int, std::int64_t packet) const {
    const Input from = input(packet);
    Values first = load(from, 0);
    Values second;
    if constexpr (kQuads == 1) second = load(from, 1);  // all loads in flight before the first use
    held.forget();
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) {
      if constexpr (kQuads != 1) {
        if (half == 1) first = load(from, 1);
      }
      Words words;
      std::uint32_t scale = 0;
      if constexpr (kQuads == 1) {
        const auto extreme = find_extreme<E>(first.quad);
        scale = Codec::template encode<0, false>(
            extreme, [&](int i) { return to_real<E>(first.quad[i / kChunkValues], i % kChunkValues); },
            words.word);
        first = second;
      } else {
        float x[kHalfValues];
        to_floats(first, x);
        scale = Codec::template encode<0, false>(
            find_extreme(x), [&](int i) { return x[i]; }, words.word);
      }
      held.set_half(half, words, scale);
    }
  }

  __device__ void push(const Held& held, int slot, std::int64_t, int peer, Ring ring, Epoch epoch) const {
    held.store(place(peer, ring, epoch, rank(), slot), lane());
  }

  /// All ranks' packets in rank order, the own one as it was sent.
  __device__ void sum(const Held& held, int slot, std::int64_t packet, Epoch epoch) const {
    const Output to = output(packet);
    PeerParts peers(*this, slot, epoch);
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) {
      float total[kHalfValues] = {};
#pragma unroll 1  // the registers of one packet at a time
      for (int source = 0; source < world(); ++source) {
        Part part = {held.half(half), held.scales};
        if (source != rank()) part = peers.take();
        Codec::template add<kUnits>(part.words.word, part.scales >> (16 * half), total);
      }
      if constexpr (kUnits != 0) {
#pragma unroll
        for (int i = 0; i < kHalfValues; ++i) total[i] = __fmul_rn(total[i], power_of_two(kUnits));
      }
      store<true>(total, to, half);
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
      float total[kHalfValues] = {};
#pragma unroll 1
      for (int source = 0; source < world(); ++source) {
        if (source == rank()) {
          float x[kHalfValues];
          to_floats(own, x);
#pragma unroll
          for (int i = 0; i < kHalfValues; ++i) total[i] = __fmaf_rn(x[i], power_of_two(-kUnits), total[i]);
        } else {
          const Part part = peers.take();
          Codec::template add<kUnits>(part.words.word, part.scales >> (16 * half), total);
        }
      }
      Words words;
      const auto scale = Codec::template encode<kUnits, true>(
          find_extreme(total), [&](int i) { return total[i]; }, words.word);
      held.set_half(half, words, scale);
    }
  }

  __device__ void finish(const Held& held, int, std::int64_t packet) const {
    const Output to = output(packet);
#pragma unroll 1
    for (int half = 0; half < kHalves; ++half) decode(held.half(half), held.scales >> (16 * half), to, half);
  }

  __device__ void receive(int slot, std::int64_t packet, int owner, Epoch epoch) const {
    decode_packet(place(rank(), Ring::kGather, epoch, owner, slot), packet);
  }

  /// A packet in memory, decoded, to the user's result.
  __device__ void decode_packet(const std::byte* from, std::int64_t packet) const {
    Held held;
    held.load(from, lane());  // all of it in flight before the first use
    finish(held, 0, packet);
  }

 private:
  using Codec = HalfCodec<C, E>;
  using Words = HalfRegisters<C>;

  /// This lane's 32 values of a half packet, as they lie in memory.
  struct Values {
    uint4 quad[kHalfChunks * kQuads];
  };

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

  /// kSaturate: what is beyond the type's range becomes its largest number.
  template <bool kSaturate>
  __device__ static void store(const float (&x)[kHalfValues], const Output& to, int half) {
    Values values;
#pragma unroll
    for (int i = 0; i < kHalfChunks * kQuads; ++i)
      values.quad[i] = from_reals<E, kSaturate>(x + i * (kChunkValues / kQuads));
    to.store(words_of(half), values.quad);
  }

  __device__ static void decode(const Words& words, std::uint32_t scales, const Output& to, int half) {
    float x[kHalfValues] = {};
    Codec::template add<0>(words.word, scales, x);
    store<false>(x, to, half);
  }

  /// Half of one rank's packet.
  struct Part {
    Words words;
    std::uint32_t scales;  // of both halves
  };

  __device__ Part load_peer(int slot, Epoch epoch, int source, int half) const {
    const std::byte* from = place(rank(), Ring::kScatter, epoch, source, slot);
    return {Held::load_half(from, half, lane()), Held::load_scales(from, lane())};
  }

  /// The peers' parts in the order in which sums take them: by halves, in each by ranks. Each one is on its
  /// way while the one before is worked on.
  class PeerParts {
   public:
    __device__ PeerParts(const GpuTeam& team, int slot, Epoch epoch)
        : team_(team), slot_(slot), epoch_(epoch), source_(first()), ahead_(load()) {}

    __device__ Part take() {
      const Part part = ahead_;
      ++source_;
      if (source_ == team_.rank()) ++source_;
      if (source_ >= team_.world()) {
        source_ = first();
        ++half_;
      }
      if (half_ < kHalves) ahead_ = load();
      return part;
    }

   private:
    __device__ int first() const { return team_.rank() == 0 ? 1 : 0; }
    __device__ Part load() const { return team_.load_peer(slot_, epoch_, source_, half_); }

    const GpuTeam& team_;
    const int slot_;
    const Epoch epoch_;
    int half_ = 0;
    int source_;
    Part ahead_;
  };

  __device__ std::byte* place(int owner, Ring ring, Epoch epoch, int source, int slot) const {
    return region(owner, ring, epoch, source) + static_cast<std::size_t>(slot) * kSlotBytes;
  }

  __device__ InputPacket<E> input(std::int64_t packet) const {
    return input_packet<E, kValues>(call_.send, call_.count, packet);
  }
  __device__ OutputPacket<E> output(std::int64_t packet) const {
    return output_packet<E, kValues>(call_.recv, call_.count, packet);
  }
};

}  // namespace qr::gpu
