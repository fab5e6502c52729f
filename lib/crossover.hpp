// The tuning tables: from which size on another codec or algorithm is the faster one, in host memory and in
// device memory.
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

/// Two ranks: measured on an H200. More: a model, for want of machines, from what was measured there: a link
/// of 363 GB/s a GPU in each direction, 3.4 us for a second handshake, 1 us for coding a short message.
namespace device_crossover {

/// codec=auto: the lossy codec's 1 us is what the bytes that it saves take on the link.
constexpr std::int64_t lossy_from_bytes(int world, DataType type) {
  if (type == DataType::kFloat64) return kNever;
  return (type == DataType::kFloat32 ? 512 << 10 : 1 << 20) / (world - 1);
}

/// algorithm=auto, in bytes of the encoded vector. An exchange sends n - 1 encoded vectors, a two_shot
/// 2 (n - 1) / n of them and waits once more: (n - 1) (n - 2) / n vectors more, against 3.4 us.
constexpr std::int64_t two_shot_from_wire_bytes(int world, bool exact) {
  // Two ranks send the same bytes either way; where memory is the limit, a two_shot reads fewer of them.
  if (world <= 2) return exact ? 8 << 20 : kNever;
  const std::int64_t ranks = world;
  return (1234 << 10) * ranks / ((ranks - 1) * (ranks - 2));
}

}  // namespace device_crossover

}  // namespace qr
