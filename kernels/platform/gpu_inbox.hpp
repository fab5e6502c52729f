// The packets of a block codec in this block's regions: where they are, and the peers' halves in the order in
// which sums take them.
#pragma once

#include "gpu_extreme.hpp"
#include "gpu_packet.hpp"
#include "gpu_slots.hpp"

namespace qr::gpu {

template <class C>
class GpuInbox : public GpuSlots {
 public:
  using Held = PacketRegisters<C>;
  static constexpr std::size_t kSlotBytes = packet_bytes(C::kBits);

  using GpuSlots::GpuSlots;

 protected:
  /// Half of one rank's packet.
  struct Part {
    HalfRegisters<C> words;
    std::uint32_t scales;  // of both halves
  };

  __device__ static Part load_part(const std::byte* from, int half) {
    return {Held::load_half(from, half, lane()), Held::load_scales(from, lane())};
  }

  /// The peers' parts in the order in which sums take them: by halves, in each by ranks. Each one is on its
  /// way while the one before is worked on.
  class PeerParts {
   public:
    __device__ PeerParts(const GpuInbox& inbox, int slot, Epoch epoch)
        : inbox_(inbox),
          first_(inbox.place(inbox.rank(), Ring::kScatter, epoch, 0, slot)),
          source_(first()),
          ahead_(load()) {}

    __device__ Part take() {
      const Part part = ahead_;
      ++source_;
      if (source_ == inbox_.rank()) ++source_;
      if (source_ >= inbox_.world()) {
        source_ = first();
        ++half_;
      }
      if (half_ < kHalves) ahead_ = load();
      return part;
    }

   private:
    __device__ int first() const { return inbox_.rank() == 0 ? 1 : 0; }
    __device__ Part load() const {
      return load_part(first_ + static_cast<std::int64_t>(source_) * inbox_.call_.region_bytes, half_);
    }

    const GpuInbox& inbox_;
    const std::byte* const first_;  // of rank 0
    int half_ = 0;
    int source_;
    Part ahead_;
  };

  __device__ std::byte* place(int owner, Ring ring, Epoch epoch, int source, int slot) const {
    return region(owner, ring, epoch, source) + static_cast<std::size_t>(slot) * kSlotBytes;
  }
};

}  // namespace qr::gpu
