// The kernels of the GPU back end and the table that describes them. Included by the generated units only.
#pragma once

#include "../exchange.hpp"
#include "../handshake.hpp"
#include "../platform/gpu_raw_team.hpp"
#include "../platform/gpu_team.hpp"
#include "../two_shot.hpp"
#include "gpu_kernels.hpp"

namespace qr::gpu {

/// Codecs of at most four bits need few registers for a packet.
template <class Team>
inline constexpr bool kNarrow = Team::kSlotBytes <= packet_bytes(4);

// Threads of a block, and blocks that fit on a multiprocessor. For an exchange of few bits three small blocks
// beat two large ones: one works while others wait. Everything else needs the registers of two.
template <class Team>
inline constexpr int kExchangeBlocks = kNarrow<Team> ? 3 : 2;
inline constexpr int kExchangeThreads = 256;
inline constexpr int kTwoShotBlocks = 2;
template <class Team>
inline constexpr int kTwoShotThreads = kNarrow<Team> ? 320 : 256;

// Kernels are named by their data path. Each runs one all-reduce; call.shape.blocks blocks.

template <class Team>
__global__ void __launch_bounds__(kExchangeThreads, kExchangeBlocks<Team>)
    exchange_push_sum(const __grid_constant__ GpuCall call) {
  Team team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)exchange(team);
}

template <class Team>
__global__ void __launch_bounds__(kTwoShotThreads<Team>, kTwoShotBlocks)
    two_shot_push_reduce_push(const __grid_constant__ GpuCall call) {
  Team team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)two_shot(team);
}

template <class Team>
GpuKernels kernels_of() {
  const void* const exchange = reinterpret_cast<const void*>(&exchange_push_sum<Team>);
  const void* const two_shot = reinterpret_cast<const void*>(&two_shot_push_reduce_push<Team>);
  return {{exchange, kExchangeThreads, kExchangeBlocks<Team>, Team::kValues, Team::kSlotBytes},
          {two_shot, kTwoShotThreads<Team>, kTwoShotBlocks, Team::kValues, Team::kSlotBytes}};
}

}  // namespace qr::gpu
