// The benchmark's own kernels: a plain copy to the peers, and a pause.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace qr::bench {

inline constexpr int kMostPeers = 63;
inline constexpr int kCopyThreads = 512;

/// What the copy kernel does: `quads` times 16 bytes to each peer, the peers in turn.
struct PeerCopy {
  void* to[kMostPeers];  // 16-byte aligned, as `from`
  const void* from;      // the first peer's data, then the second one's ...
  std::int64_t quads;
  std::int32_t peers;
};

/// Queue kernels on a stream; what goes wrong is in hipGetLastError().
void queue_peer_copy(hipStream_t stream, const PeerCopy& copy, int blocks);
void queue_pause(hipStream_t stream, int microseconds);

}  // namespace qr::bench
