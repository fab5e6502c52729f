// From which size on another codec or algorithm is the faster one in host memory. Device memory has a model
// instead (cost_model.hpp).
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace qr {

/// A size that no message has.
inline constexpr std::int64_t kNever = INT64_MAX;

/// Measured with qr_mpi_bench on 16 cores of a Xeon (benchmarks/results), 2 to 16 ranks, floats.
namespace host_crossover {

/// codec=auto takes the lossy codec from this many bytes of the user's vector on. The more ranks, the more
/// copies of a vector go round, and the sooner fewer bytes pay for the coding. 16-bit vectors are half as
/// long and cost more to code.
constexpr std::int64_t lossy_from_bytes(int world, DataType type) {
  if (type != DataType::kFloat32) return kNever;
  if (world < 3) return 1 << 20;
  return world < 8 ? 256 << 10 : 2 << 10;
}

/// algorithm=auto takes two_shot from this many bytes of the user's vector on. An exchange pushes n - 1
/// vectors and adds n of them on each rank, which a second handshake soon beats.
constexpr std::int64_t two_shot_from_bytes(int world, bool exact) {
  const std::int64_t ranks = world;
  // A lossy exchange of two ranks moves the same bytes as a two_shot, with one quantization less.
  if (world <= 2) return exact ? 64 << 10 : kNever;
  return (exact ? 384 << 10 : 512 << 10) / (ranks * ranks);
}

}  // namespace host_crossover

}  // namespace qr
