// A peer's device memory mapped into this process; the same memory is mapped once, however many ranks of the
// process use it.
#pragma once

#include <hip/hip_runtime.h>

#include <memory>

namespace qr {

/// Handle of memory that starts an allocation. Throws Error(kSystem).
hipIpcMemHandle_t export_memory(void* memory);

/// The mapping lives as long as somebody holds it. The current device is the one that will use it. Throws
/// Error(kSystem).
std::shared_ptr<void> map_memory(const hipIpcMemHandle_t& handle, int device);

}  // namespace qr
