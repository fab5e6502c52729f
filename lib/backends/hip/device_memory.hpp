// Owners of what HIP hands out: device memory, pinned host memory, events, and the current device.
#pragma once

#include <cstddef>
#include <utility>

#include "lib/backends/hip/hip_check.hpp"

namespace qr {

/// Makes `device` current while it lives; then the caller's device is current again.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    hip_check(hipGetDevice(&previous_), "ask for the current device");
    if (previous_ == device) return;
    hip_check(hipSetDevice(device), "make a device current");
    changed_ = true;
  }
  ~DeviceGuard() {
    if (changed_) hip_ignore(hipSetDevice(previous_));
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

/// A handle that is given back by kRelease. Movable; empty when it is the handle type's zero.
template <class Handle, hipError_t (*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) hip_ignore(kRelease(handle_));
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_{};
};

using DeviceMemory = Owned<void*, hipFree>;
using PinnedMemory = Owned<void*, hipHostFree>;
using Event = Owned<hipEvent_t, hipEventDestroy>;
using Stream = Owned<hipStream_t, hipStreamDestroy>;

// All of these throw Error(kSystem). They act on the current device.

/// Zeroed device memory for data that only this device touches.
DeviceMemory allocate_device(std::size_t bytes);

/// Zeroed device memory that peers may write while a kernel reads it: uncached where the platform knows that.
DeviceMemory allocate_shared(std::size_t bytes);

/// Zeroed host memory that kernels can write; `address` is how the device sees it.
PinnedMemory allocate_pinned(std::size_t bytes, void** address);

Event create_event();

/// A stream that does not wait for the default one.
Stream create_stream();

}  // namespace qr
