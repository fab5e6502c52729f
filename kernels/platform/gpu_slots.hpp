// Which packets of a tile a warp takes: the mapping that the GPU teams share.
#pragma once

#include "gpu_signals.hpp"

namespace qr::gpu {

class GpuSlots : public GpuSignals {
 public:
  using GpuSignals::GpuSignals;

  __device__ int tiles() const {
    const int rows = (call_.shape.rows - block_ + call_.shape.blocks - 1) / call_.shape.blocks;
    return (rows + call_.shape.slots - 1) / call_.shape.slots;
  }

  /// One packet a slot. A warp has the same slot whenever the owner is the same, so what it holds in
  /// registers stays its own; from owner to owner the slots move on, so that all warps have work where there
  /// are fewer slots than warps.
  template <class Visit>
  __device__ void for_packets(std::int64_t tile, int owner, const Visit& visit) const {
    const int step = owner < rank() ? owner - rank() + world() : owner - rank();
    const int warps = static_cast<int>(blockDim.x) / kWarpLanes;
    const int slot = (warp() + (warps - call_.shape.slots) * step) % warps;
    if (slot >= call_.shape.slots) return;
    const std::int64_t packet = static_cast<std::int64_t>(row(tile, slot)) * world() + owner;
    if (packet < call_.packets) visit(slot, packet);
  }
  template <class Visit>
  __device__ void for_packets(std::int64_t tile, const Visit& visit) const {
    if (warp() >= call_.shape.slots) return;
    const int packet = row(tile, warp());
    if (packet < call_.packets) visit(warp(), static_cast<std::int64_t>(packet));
  }

 protected:
  /// Lines of a packet of the input, of kBytes; those past the end of the vector are left out.
  template <int kBytes>
  __device__ void prefetch_packet(std::int64_t packet) const {
    constexpr int kLine = 128;
    if (packet + 1 >= call_.packets) return;
    const std::byte* at = static_cast<const std::byte*>(call_.send) + packet * kBytes;
#pragma unroll
    for (int line = 0; line < kBytes; line += kWarpLanes * kLine) {
      if (line + lane() * kLine < kBytes) prefetch_line(at + line + lane() * kLine);
    }
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWarpLanes; }

 private:
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarpLanes; }
  __device__ int row(std::int64_t tile, int slot) const {
    return (static_cast<int>(tile) * call_.shape.slots + slot) * call_.shape.blocks + block_;
  }
};

}  // namespace qr::gpu
