// The kernels of the GPU back end and the table that describes them. Included by the generated units only.
#pragma once

#include "../exchange.hpp"
#include "../handshake.hpp"
#include "../platform/gpu_raw_team.hpp"
#include "../platform/gpu_team.hpp"
#include "../two_shot.hpp"
#include "gpu_kernels.hpp"

namespace qr::gpu {

/// Threads of a block, and blocks that fit on a multiprocessor at the same time: the compiler gives each
/// thread its share of the registers.
struct Occupancy {
  int threads;
  int blocks;
};

// As many warps as do without spilled registers: what a packet holds decides. Three small blocks are better
// than two large ones, since one works while others wait.
template <class Team>
inline constexpr Occupancy kExchange = Team::kSlotBytes <= packet_bytes(3)   ? Occupancy{256, 3}
                                       : Team::kSlotBytes <= packet_bytes(4) ? Occupancy{320, 2}
                                                                             : Occupancy{256, 2};
template <class Team>
inline constexpr Occupancy kTwoShot = Team::kSlotBytes <= packet_bytes(3) && !Team::kWide ? Occupancy{320, 2}
                                                                                          : Occupancy{256, 2};

// Kernels are named by their data path. Each runs one all-reduce; call.shape.blocks blocks.

template <class Team>
__global__ void __launch_bounds__(kExchange<Team>.threads, kExchange<Team>.blocks)
    exchange_push_sum(const __grid_constant__ GpuCall call) {
  Team team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)exchange(team);
}

template <class Team>
__global__ void __launch_bounds__(kTwoShot<Team>.threads, kTwoShot<Team>.blocks)
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
  return {{exchange, kExchange<Team>.threads, kExchange<Team>.blocks, Team::kValues, Team::kSlotBytes},
          {two_shot, kTwoShot<Team>.threads, kTwoShot<Team>.blocks, Team::kValues, Team::kSlotBytes}};
}

}  // namespace qr::gpu
