// The kernels behind bench_kernels.hpp.
#include "bench_kernels.hpp"
#include "kernels/platform/gpu_math.hpp"

namespace qr::bench {

namespace {

/// As the library pushes packets: 16 bytes a lane, neighbours side by side, all links at the same time.
__global__ void __launch_bounds__(kCopyThreads) copy_to_peers(const __grid_constant__ PeerCopy copy) {
  constexpr int kUnroll = 4;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kCopyThreads;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x;
  for (std::int64_t at = first; at < copy.quads; at += kUnroll * stride) {
    for (int peer = 0; peer < copy.peers; ++peer) {
      const auto* from = static_cast<const uint4*>(copy.from) + peer * copy.quads;
      auto* to = static_cast<uint4*>(copy.to[peer]);
      uint4 words[kUnroll];
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if (at + i * stride < copy.quads) words[i] = gpu::load_stream(from + at + i * stride);
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if (at + i * stride < copy.quads) gpu::store_peer(to + at + i * stride, words[i]);
      }
    }
  }
}

__global__ void pause(std::uint64_t ticks) {
  const std::uint64_t begin = gpu::now();
  while (gpu::now() - begin < ticks) gpu::nap();
}

}  // namespace

void queue_peer_copy(hipStream_t stream, const PeerCopy& copy, int blocks) {
  copy_to_peers<<<static_cast<unsigned>(blocks), kCopyThreads, 0, stream>>>(copy);
}

void queue_pause(hipStream_t stream, int microseconds) {
  pause<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(microseconds) * gpu::kTicksPerMicrosecond);
}

}  // namespace qr::bench
