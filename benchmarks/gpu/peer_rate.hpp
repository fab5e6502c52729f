// The yardstick of device memory: how fast plain kernels write to the peers' memory.
#pragma once

#include <optional>
#include <string>

#include "device.hpp"
#include "stream_timer.hpp"

namespace qr::bench {

inline constexpr int kAllPeers = 1 << 20;

struct PeerRate {
  double gb_per_s = 0;          // that one rank sends, all ranks sending at once, 10^9 bytes a second
  std::int64_t sent_bytes = 0;  // by a rank in one copy
  std::string absent;           // not empty: why there is no rate
};

/// Collective. Each rank writes to all of its peers at once (or to its next `most_peers` neighbours), as it
/// is written to by them: a copy kernel, 16 bytes a lane, into memory that the peers have exported. Of the
/// slowest rank, the best of several runs and grids. Every byte is checked to have arrived. Throws what CUDA
/// or HIP says once the memory is mapped.
PeerRate measure_peer_rate(const Device& device, const StreamTimer& timer, MPI_Comm comm,
                           int most_peers = kAllPeers);

}  // namespace qr::bench
