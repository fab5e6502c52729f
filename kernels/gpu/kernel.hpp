// The kernels of the GPU back end and the table that describes them. Included by the generated units only.
#pragma once

#include "../exchange.hpp"
#include "../handshake.hpp"
#include "../platform/gpu_raw_team.hpp"
#include "../platform/gpu_share.hpp"
#include "../platform/gpu_team.hpp"
#include "../two_shot.hpp"
#include "gpu_kernels.hpp"

namespace qr::gpu {

/// Threads of a block, and blocks that fit on a multiprocessor at the same time: the compiler gives each
/// thread its share of the registers.
struct Occupancy {
  int threads;
  int blocks;
  /// What the compiler is told about `blocks`.
  constexpr int bound() const { return launch_bound(threads, blocks); }
};

// As many warps as do without spilled registers: what a packet holds decides. Three small blocks are better
// than two large ones, since one works while others wait.
template <class Team>
constexpr Occupancy exchange_of_warps() {
  if (Team::kSlotBytes <= packet_bytes(3) && !Team::kWide) return {256, 3};
  return Team::kSlotBytes <= packet_bytes(4) ? Occupancy{320, 2} : Occupancy{256, 2};
}
template <class Team>
constexpr Occupancy two_shot_of_warps() {
  return Team::kSlotBytes <= packet_bytes(3) && !Team::kWide ? Occupancy{320, 2} : Occupancy{256, 2};
}

// Where 64 lanes run together: four waves, one for each SIMD, and as many blocks as do without scratch memory
// (benchmarks/isa). Lanes of raw hold no packet.
template <class Team>
inline constexpr std::size_t kHeldWords = sizeof(typename Team::Held) / sizeof(std::uint32_t);
template <class Team>
constexpr Occupancy exchange_of_waves() {
  if (kHeldWords<Team> == 0) return {256, 4};
  if (Team::kSlotBytes <= packet_bytes(3) && !Team::kWide) return {256, 4};
  return Team::kSlotBytes <= packet_bytes(4) || !Team::kWide ? Occupancy{256, 3} : Occupancy{256, 2};
}
template <class Team>
constexpr Occupancy two_shot_of_waves() {
  return kHeldWords<Team> == 0 ? Occupancy{256, 4} : Occupancy{256, 2};
}

template <class Team>
inline constexpr Occupancy kExchange = kWaveLanes == 64 ? exchange_of_waves<Team>()
                                                        : exchange_of_warps<Team>();
template <class Team>
inline constexpr Occupancy kTwoShot = kWaveLanes == 64 ? two_shot_of_waves<Team>()
                                                       : two_shot_of_warps<Team>();
inline constexpr Occupancy kFlagged = {kFlaggedThreads + kWarpLanes, kWaveLanes == 64 ? 4 : 3};

// Kernels are named by their data path. Each runs one all-reduce; call.shape.blocks blocks.

template <class Team>
__global__ void __launch_bounds__(kExchange<Team>.threads, kExchange<Team>.bound())
    exchange_push_sum(const __grid_constant__ GpuCall call) {
  Team team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)exchange(team);
}

template <class Team>
__global__ void __launch_bounds__(kTwoShot<Team>.threads, kTwoShot<Team>.bound())
    two_shot_push_reduce_push(const __grid_constant__ GpuCall call) {
  Team team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)two_shot(team);
}

/// The exchange of short messages. The same sums in the same order as exchange_push_sum, by threads that each
/// have a few values and wait for nobody but the threads of the same number in the peers.
template <class Share>
__global__ void __launch_bounds__(kFlagged.threads, kFlagged.bound())
    exchange_flagged(const __grid_constant__ GpuCall call) {
  static_assert(Share::kPairs <= kFlaggedWords);
  GpuFlagged team(call);
  const Epoch epoch = team.epoch() + 1;
  Verdict verdict = Verdict::kOk;
  if (GpuFlagged::is_control()) {
    if (team.failed()) return;
    verdict = team.control(epoch);
  } else {
    const typename Share::Place place(call.count, team.share());
    if (team.failed()) return;
    const typename Share::Input input = Share::load(place, call.send);
    // Where words go and come is found out while the values are on their way.
    const auto peer_at = [&](int step) {
      const int peer = team.rank() + step;
      return peer < team.world() ? peer : peer - team.world();
    };
    const auto inbox_of = [&](int source) {
      return team.inbox(source < team.world() ? source : team.rank(), epoch);
    };
    uint4* to = launder(team.outbox(peer_at(1), epoch));
    const uint4* const from = launder(inbox_of(team.rank() == 0 ? 1 : 0));
    const Payload<Share::kPairs> own = Share::encode(input);
    if (place.exists()) {
#pragma unroll 1
      for (int step = 1;;) {
        GpuFlagged::push(own, to, epoch);
        if (++step >= team.world()) break;
        to = team.outbox(peer_at(step), epoch);
      }
      // Each peer's words are asked for while the ones before are added, and the own ones are decoded while
      // the first are on their way.
      auto ahead = GpuFlagged::look<Share::kPairs>(from);
      const typename Share::Values mine = Share::decode(own);
      Share share;
#pragma unroll 1
      for (int source = 0; source < team.world() && verdict == Verdict::kOk; ++source) {
        auto seen = ahead;
        if (source != team.rank()) {
          ahead =
              GpuFlagged::look<Share::kPairs>(inbox_of(source + 1 == team.rank() ? source + 2 : source + 1));
          verdict = team.await(source, epoch, seen);
        }
        share.add(source == team.rank(), mine, seen.payload());
      }
      let_kernel_behind_begin();
      if (verdict == Verdict::kOk) share.finish(place, call.recv);
    }
  }
  if (team.conclude(verdict) == Verdict::kOk) team.commit(epoch);
}

template <class Team, class Share>
GpuKernels kernels_of() {
  const void* const exchange = reinterpret_cast<const void*>(&exchange_push_sum<Team>);
  const void* const two_shot = reinterpret_cast<const void*>(&two_shot_push_reduce_push<Team>);
  const void* const flagged = reinterpret_cast<const void*>(&exchange_flagged<Share>);
  return {{exchange, kExchange<Team>.threads, kExchange<Team>.blocks, Team::kValues, Team::kSlotBytes},
          {two_shot, kTwoShot<Team>.threads, kTwoShot<Team>.blocks, Team::kValues, Team::kSlotBytes},
          {flagged, kFlagged.threads, kFlagged.blocks, kFlaggedThreads * Share::kValues, 0}};
}

}  // namespace qr::gpu
