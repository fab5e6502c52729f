// Kernels that only encode or only decode, for measuring: by the clock (tests/gpu/codec_speed.hip) and by the
// instruction (benchmarks/isa).
#pragma once

#include "kernel.hpp"

namespace qr::gpu {

template <class Team>
__global__ void __launch_bounds__(kExchange<Team>.threads, kExchange<Team>.bound())
    encode_only(const __grid_constant__ GpuCall call, std::byte* packets) {
  const Team team(call);
  const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / kWarpLanes);
  std::int64_t packet = static_cast<std::int64_t>(threadIdx.x / kWarpLanes) * gridDim.x + blockIdx.x;
  for (; packet < call.packets; packet += warps) {
    typename Team::Held held = team.hold(0);
    team.encode(held, 0, packet);
    held.store(packets + packet * static_cast<std::int64_t>(Team::kSlotBytes), lane);
  }
}

template <class Team>
__global__ void __launch_bounds__(kExchange<Team>.threads, kExchange<Team>.bound())
    decode_only(const __grid_constant__ GpuCall call, const std::byte* packets) {
  const Team team(call);
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / kWarpLanes);
  std::int64_t packet = static_cast<std::int64_t>(threadIdx.x / kWarpLanes) * gridDim.x + blockIdx.x;
  for (; packet < call.packets; packet += warps) {
    team.decode_packet(packets + packet * static_cast<std::int64_t>(Team::kSlotBytes), packet);
  }
}

}  // namespace qr::gpu
