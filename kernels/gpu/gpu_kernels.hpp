// What host code needs to launch the GPU kernels: function, block size, and how many values and bytes a slot
// holds.
#pragma once

#include <cstddef>

#include "../platform/gpu_call.hpp"
#include "../types.hpp"

namespace qr {

struct GpuKernel {
  const void* function = nullptr;  // takes one GpuCall by value
  int threads = 0;
  int blocks_each = 0;  // that run on a multiprocessor at the same time
  int slot_values = 0;
  std::size_t slot_bytes = 0;
};

/// Of one codec, element type and operation.
struct GpuKernels {
  GpuKernel exchange;
  GpuKernel two_shot;
  GpuKernel flagged;  // an exchange of short messages: a slot is a block
};

/// The kernels of a plan; null for a combination outside the fast path (see packet_ops()).
const GpuKernels* gpu_kernels(int codec, DataType type, ReduceOp op);

/// handshake, one block; `slot` numbers do not matter.
GpuKernel gpu_handshake_kernel();

/// After a mismatch: meets all peers, then makes the epochs of all shape.blocks blocks equal on every rank.
/// One block.
GpuKernel gpu_recovery_kernel();

/// Of GpuCall::timeout_ticks.
std::uint64_t gpu_ticks_per_microsecond();

}  // namespace qr
