// lib/device.hpp over HIP.
#include "lib/device.hpp"

#include <string>

#include "lib/backends/hip/device_memory.hpp"
#include "lib/backends/hip/pointer_kind.hpp"

namespace qr {

namespace {

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }

}  // namespace

bool on_device(const void* send, const void* recv) {
  if (!device_available()) return false;
  const PointerKind from = pointer_kind(send != nullptr ? send : recv);
  const PointerKind to = recv == send ? from : pointer_kind(recv != nullptr ? recv : send);
  if (from.space == MemorySpace::kHost && to.space == MemorySpace::kHost) return false;
  if (from.space != to.space) {
    throw Error(Status::kBuffer, "one of sendbuf and recvbuf is device memory, the other host memory");
  }
  const int current = current_device();
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

void wait_for(void* stream) { hip_check(hipStreamSynchronize(stream_of(stream)), "wait for a stream"); }

int current_device() {
  int device = 0;
  hip_check(hipGetDevice(&device), "ask for the current device");
  return device;
}

}  // namespace qr
