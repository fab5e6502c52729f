// Allocation behind device_memory.hpp.
#include "lib/backends/hip/device_memory.hpp"

#include <cstring>

namespace qr {

namespace {

DeviceMemory zeroed(void* memory, std::size_t bytes) {
  DeviceMemory owner(memory);
  hip_check(hipMemset(memory, 0, bytes), "clear device memory");
  hip_check(hipDeviceSynchronize(), "clear device memory");
  return owner;
}

}  // namespace

DeviceMemory allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  hip_check(hipMalloc(&memory, bytes), "allocate device memory");
  return zeroed(memory, bytes);
}

DeviceMemory allocate_shared(std::size_t bytes) {
#if defined(__HIP_PLATFORM_AMD__)
  // A peer's stores go past this device's caches: memory that may lie in them would be read stale.
  void* memory = nullptr;
  hip_check(hipExtMallocWithFlags(&memory, bytes, hipDeviceMallocUncached),
            "allocate uncached device memory");
  return zeroed(memory, bytes);
#else
  return allocate_device(bytes);
#endif
}

PinnedMemory allocate_pinned(std::size_t bytes, void** address) {
  void* memory = nullptr;
  hip_check(hipHostMalloc(&memory, bytes, hipHostMallocMapped), "allocate pinned host memory");
  PinnedMemory owner(memory);
  std::memset(memory, 0, bytes);
  hip_check(hipHostGetDevicePointer(address, memory, 0), "map pinned host memory");
  return owner;
}

Event create_event() {
  hipEvent_t event{};
  hip_check(hipEventCreateWithFlags(&event, hipEventDisableTiming), "create an event");
  return Event(event);
}

Stream create_stream() {
  hipStream_t stream{};
  hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
  return Stream(stream);
}

}  // namespace qr
