// The device arenas of all ranks as one rank sees them: allocated, exported, mapped and proved.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/arena.hpp"
#include "lib/backends/hip/device_memory.hpp"
#include "lib/backends/hip/device_place.hpp"

namespace qr {

/// What a rank's arena takes, whatever the messages.
inline constexpr std::size_t kDeviceArenaBytes = std::size_t{64} << 20;

struct DeviceArenas {
  ArenaLayout layout;            // the words with flags of short messages follow behind it
  std::vector<std::byte*> base;  // by rank, as this device addresses them
  DeviceMemory own;
  std::vector<std::shared_ptr<void>> mappings;  // of ranks of other processes
};

/// The layout for `world` ranks of so many multiprocessors each: fewer blocks than they could run where
/// regions would get too small.
ArenaLayout device_layout(int world, int multiprocessors);

/// Blocks of a layout that can run a flagged exchange, and the memory of their words.
int flagged_blocks(const ArenaLayout& layout);
std::size_t flagged_bytes(const ArenaLayout& layout);

/// Collective. Fills `arenas` on all ranks, or on none: then the agreement says who could not and why.
Agreement make_device_arenas(Bootstrap& bootstrap, const DevicePlace& place, DeviceArenas& arenas);

}  // namespace qr
