// What kind of memory a user's pointer is, asked of the runtime: sub-allocated, pooled and managed memory
// included.
#pragma once

namespace qr {

enum class MemorySpace { kHost, kDevice };

struct PointerKind {
  MemorySpace space = MemorySpace::kHost;
  int device = -1;  // ordinal, where space is kDevice
};

/// Never fails: what the runtime does not know is host memory. Managed memory counts as the current device's.
PointerKind pointer_kind(const void* pointer);

/// True when this process can use a device at all. Asked once.
bool device_available();

}  // namespace qr
