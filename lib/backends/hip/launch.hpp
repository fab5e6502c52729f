// Launching a kernel of the library.
#pragma once

#include <hip/hip_runtime.h>

namespace qr {

/// Whether kernels can be launched early on `device`, into graphs too: by NVIDIA's GPUs from sm_90 and
/// drivers for CUDA 12.3.
bool knows_early_launch(int device);

/// Queues `blocks` of `threads` with one argument. If `early`, it may begin before the kernel in front of it
/// on `stream` has ended, once that allows it: then wait_for_kernels_before() must come first in it. Throws
/// Error(kSystem).
void launch_kernel(const void* function, int blocks, int threads, void* argument, hipStream_t stream,
                   bool early);

}  // namespace qr
