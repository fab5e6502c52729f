// MPI_Allreduce on device memory: what a program without this library would write.
#pragma once

#include <cstdint>

#include "lib/backends/hip/device_memory.hpp"
#include "rival.hpp"

namespace qr::bench {

/// Hands device pointers to an MPI that knows them; else, and for user ops, which may not be handed device
/// pointers, copies to pinned host memory, reduces there and copies back.
class DeviceRival {
 public:
  /// Collective.
  explicit DeviceRival(MPI_Comm comm);

  [[nodiscard]] bool gpu_aware() const { return gpu_aware_; }
  [[nodiscard]] bool staged(Element element) const;

  /// Blocking. What it needs was not queued, or has been waited for.
  void allreduce(const Rival& rival, const void* send, void* recv, std::int64_t count, Element element,
                 MPI_Comm comm, hipStream_t stream);

 private:
  bool gpu_aware_;
  PinnedMemory send_, recv_;
  std::size_t bytes_ = 0;  // of each
};

}  // namespace qr::bench
