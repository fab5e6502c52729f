// How a call is spread over blocks and slots: a pure function of what all ranks share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/gpu/gpu_kernels.hpp"

namespace qr {

inline constexpr int kGpuWarpLanes = 32;  // that work on one slot

/// Packets of `kernel` that `count` values fill.
constexpr std::int64_t gpu_packets(const GpuKernel& kernel, std::int64_t count) {
  return (count + kernel.slot_values - 1) / kernel.slot_values;
}

/// Blocks first: a packet is the work of one warp, and many multiprocessors are faster than many warps on
/// one. `multiprocessors`: what every rank has for itself.
constexpr GpuShape gpu_shape(const GpuKernel& kernel, const ArenaLayout& layout, int multiprocessors,
                             bool divided, std::int64_t count) {
  const std::int64_t packets = gpu_packets(kernel, count);
  const std::int64_t rows = divided ? (packets + layout.world - 1) / layout.world : packets;
  GpuShape shape;
  if (rows == 0) return shape;
  shape.rows = static_cast<std::int32_t>(rows);
  const int most = std::min(layout.blocks, std::max(1, multiprocessors * kernel.blocks_each));
  shape.blocks = static_cast<std::int32_t>(std::min<std::int64_t>(most, rows));
  const std::int64_t warps = kernel.threads / kGpuWarpLanes;
  const std::int64_t room = static_cast<std::int64_t>(layout.region_bytes / kernel.slot_bytes);
  const std::int64_t needed = (rows + shape.blocks - 1) / shape.blocks;
  shape.slots = static_cast<std::int32_t>(std::min({warps, room, needed}));
  return shape;
}

/// Blocks of the largest flagged exchange: at two ranks one of 1 MiB of 16-bit values, measured up to 512 KiB
/// only; every further rank has its words in the same memory.
constexpr int most_flagged_blocks(int world) { return 512 / world; }

/// A flagged exchange of `count` values, one share a thread: no blocks where it has too many for that, or
/// none.
constexpr GpuShape gpu_flagged_shape(const GpuKernel& kernel, int most_blocks, std::int64_t count) {
  GpuShape shape;
  const std::int64_t blocks = gpu_packets(kernel, count);
  if (blocks <= most_blocks) shape.blocks = static_cast<std::int32_t>(blocks);
  return shape;
}

}  // namespace qr
