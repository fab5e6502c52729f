// lib/device.hpp over HIP.
#include "lib/device.hpp"

#include <string>

#include "lib/backends/hip/device_memory.hpp"
#include "lib/backends/hip/pointer_kind.hpp"

namespace qr {

namespace {

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }

void copy_and_wait(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, void* stream) {
  hip_check(hipMemcpyAsync(to, from, bytes, kind, stream_of(stream)), "copy between host and device");
  hip_check(hipStreamSynchronize(stream_of(stream)), "copy between host and device");
}

}  // namespace

bool on_device(const void* send, const void* recv) {
  if (!device_available()) return false;
  const PointerKind from = pointer_kind(send != nullptr ? send : recv);
  const PointerKind to = recv == send ? from : pointer_kind(recv != nullptr ? recv : send);
  if (from.space == MemorySpace::kHost && to.space == MemorySpace::kHost) return false;
  if (from.space != to.space) {
    throw Error(Status::kBuffer, "one of sendbuf and recvbuf is device memory, the other host memory");
  }
  int current = 0;
  hip_check(hipGetDevice(&current), "ask for the current device");
  if (from.device != current || to.device != current) {
    throw Error(Status::kBuffer, "the buffers are on devices " + std::to_string(from.device) + " and " +
                                     std::to_string(to.device) + ", the current device is " +
                                     std::to_string(current) + "; make the buffers' device current");
  }
  return true;
}

bool is_captured(void* stream) {
  if (stream == nullptr) return false;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  hip_check(hipStreamIsCapturing(stream_of(stream), &status), "ask whether a stream is being captured");
  return status != hipStreamCaptureStatusNone;
}

void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) {
  hip_check(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream_of(stream)),
            "copy on the device");
  if (stream == nullptr) hip_check(hipStreamSynchronize(nullptr), "copy on the device");
}

struct Staging::Memory {
  PinnedMemory pinned;
  std::size_t bytes = 0;
};

Staging::Staging() : memory_(std::make_unique<Memory>()) {}
Staging::~Staging() = default;

std::byte* Staging::reserve(std::size_t bytes) {
  if (bytes > memory_->bytes) {
    void* address = nullptr;
    memory_->pinned = PinnedMemory();
    memory_->bytes = 0;
    memory_->pinned = allocate_pinned(bytes, &address);
    memory_->bytes = bytes;
  }
  return static_cast<std::byte*>(memory_->pinned.get());
}

void Staging::fetch(void* to, const void* device, std::size_t bytes, void* stream) {
  copy_and_wait(to, device, bytes, hipMemcpyDeviceToHost, stream);
}

void Staging::deliver(void* device, const void* from, std::size_t bytes, void* stream) {
  copy_and_wait(device, from, bytes, hipMemcpyHostToDevice, stream);
}

}  // namespace qr
