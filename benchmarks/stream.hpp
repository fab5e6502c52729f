// The yardstick: how fast all ranks together can copy private memory.
#pragma once

#include <cstdint>

#include "machine.hpp"

namespace qr::bench {

struct StreamRate {
  double gb_per_s = 0;  // bytes read plus bytes written, all ranks of the communicator, 10^9 a second
  std::int64_t array_bytes = 0;  // of each of the two arrays of a rank
};

/// Collective. As STREAM's Copy: all ranks copy one private array to another at the same time, both far
/// larger together than the last-level cache; bytes read and written count once each; best of several runs.
/// memcpy does the copying, and for arrays of this size it may store around the cache.
StreamRate measure_stream(const Machine& machine, const Layout& layout, MPI_Comm comm);

/// Share of that rate that an all-reduce of `bytes` reached. It must read n vectors and write n results at
/// the least, so share = 2 n S / time / rate. Vectors that fit in a cache may exceed 1.
double stream_share(const StreamRate& stream, int ranks, std::int64_t bytes, double time_us);

}  // namespace qr::bench
