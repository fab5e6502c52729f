// GpuRawTeam: the Team for `raw`. A packet is 2 KiB of the vector, and what a warp holds of it is its
// address.
#pragma once

#include "gpu_raw_sum.hpp"
#include "gpu_slots.hpp"
#include "gpu_vector.hpp"

namespace qr::gpu {

template <class E, ReduceOp kOp>
class GpuRawTeam : public GpuSlots {
  using Bits = typename BitsOf<E>::Type;
  static constexpr int kQuads = 4;  // of a lane, in one packet

 public:
  static constexpr std::size_t kSlotBytes = kQuads * kWarpLanes * 16;
  static constexpr int kValues = static_cast<int>(kSlotBytes / sizeof(Bits));

  static constexpr bool kWide = sizeof(Bits) > 2;

  /// The packet lies in the user's input, or, once it is reduced, in the output.
  struct Held {};

  using GpuSlots::GpuSlots;

  __device__ Held hold(int) const { return {}; }
  __device__ void prefetch(std::int64_t) const {}  // measured: slower, memory is all it waits for
  __device__ void encode(Held&, int, std::int64_t) const {}

  __device__ void push(const Held&, int slot, std::int64_t packet, int peer, Ring ring, Epoch epoch) const {
    const void* const vector = ring == Ring::kGather ? call_.recv : call_.send;
    const InputPacket<E> from = input_packet<E, kValues>(vector, call_.count, packet);
    uint4 quad[kQuads];
    from.template load<false>(words_of(), quad);
    auto* to = reinterpret_cast<uint4*>(place(peer, ring, epoch, rank(), slot));
#pragma unroll
    for (int i = 0; i < kQuads; ++i) store_peer(to + quad_of(i), quad[i]);
  }

  __device__ void sum(const Held&, int slot, std::int64_t packet, Epoch epoch) const {
    RawSum<E, kOp, kQuads> total;
#pragma unroll 1
    for (int source = 0; source < world(); ++source) {
      uint4 quad[kQuads];
      if (source == rank()) {
        input(packet).template load<true>(words_of(), quad);
      } else {
        load_inbox_packet(slot, Ring::kScatter, epoch, source, quad);
      }
      total.add(quad, source == 0);
    }
    uint4 result[kQuads];
    total.finish(result);
    output(packet).store(words_of(), result);
  }

  __device__ void reduce(Held& held, int slot, std::int64_t packet, Epoch epoch) const {
    sum(held, slot, packet, epoch);
  }

  __device__ void complete(const Held&, int slot, std::int64_t packet, int owner, Epoch epoch) const {
    if (owner == rank()) return;  // sum() wrote the values
    uint4 quad[kQuads];
    load_inbox_packet(slot, Ring::kGather, epoch, owner, quad);
    output(packet).store(words_of(), quad);
  }

 private:
  __device__ static int quad_of(int i) { return i * kWarpLanes + lane(); }
  __device__ static LaneWords<1> words_of() { return {lane(), kWarpLanes}; }

  __device__ void load_inbox_packet(int slot, Ring ring, Epoch epoch, int source,
                                    uint4 (&quad)[kQuads]) const {
    const auto* from = reinterpret_cast<const uint4*>(place(rank(), ring, epoch, source, slot));
#pragma unroll
    for (int i = 0; i < kQuads; ++i) quad[i] = load_inbox(from + quad_of(i));
  }

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
