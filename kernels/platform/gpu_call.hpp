// What host and GPU tell each other: the arguments of a kernel, the state that outlives it, and how a call
// failed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../arena.hpp"
#include "../protocol.hpp"

namespace qr {

/// Largest number of ranks that share device arenas: their addresses travel as kernel arguments.
inline constexpr int kMaxGpuWorld = 16;

/// In the rank's own device memory, zeroed when the session is made; the epochs of its blocks follow.
struct GpuState {
  std::uint32_t failed;  // a Verdict: blocks that wait leave, and kernels that start do nothing
  std::uint32_t unused[31];
  Epoch epochs[1];  // of layout.blocks blocks

  static constexpr std::size_t bytes(int blocks) {
    return sizeof(GpuState) + static_cast<std::size_t>(blocks) * sizeof(Epoch);
  }
};

/// In host memory that the GPU can write. `verdict` is written last; everything else is valid when it is not
/// kOk.
struct GpuOutcome {
  std::uint32_t verdict;
  std::int32_t peer;
  std::int32_t about;
  Epoch expected;
  Epoch seen;
  CallRecord theirs;
};

/// How the packets of a call are dealt out to blocks, the same on all ranks. A row is what a block's slot
/// holds in one tile: a packet, or under two_shot one packet of each owner. Row (tile * slots + slot) *
/// blocks + block.
struct GpuShape {
  std::int32_t rows = 0;
  std::int32_t blocks = 0;  // of the call, at most layout.blocks
  std::int32_t slots = 0;   // at most the warps of a block
};

// Of a flagged exchange (gpu_flagged.hpp), for each block, round and source.
inline constexpr int kFlaggedThreads = 256;  // that hold data; a warp more sees to the signals
inline constexpr int kFlaggedWords = 2;      // of 16 bytes, the most that one thread sends
inline constexpr int kFlaggedRounds = 2;
inline constexpr std::size_t kFlaggedBytes = std::size_t{16} * kFlaggedWords * kFlaggedThreads;

struct GpuCall {
  const void* send;
  void* recv;
  std::int64_t count;
  std::int64_t packets;           // that `count` values fill
  std::byte* base[kMaxGpuWorld];  // arenas by rank, as this GPU addresses them
  std::uint32_t regions_offset;   // of the arena's layout: 32 bits are enough for an arena
  std::uint32_t region_bytes;
  std::uint32_t flagged_offset;  // of the words with flags (gpu_flagged.hpp)
  GpuShape shape;
  std::int32_t world;
  std::int32_t rank;
  std::uint32_t check;          // hash of the call, 0 when checking is off
  std::uint64_t timeout_ticks;  // of one wait, on the device's clock
  GpuState* state;
  GpuOutcome* outcome;
  CallRecord record;  // for the peers to read when hashes differ
};

}  // namespace qr
