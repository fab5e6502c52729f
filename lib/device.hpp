// What the bindings need to know of device memory; in builds without a GPU back end there is none.
#pragma once

#include <cstddef>
#include <memory>

namespace qr {

/// True when the buffers of a call lie in device memory. Throws Error(kBuffer) if only one of them does, or
/// if they lie on another device than the current one. A null pointer says nothing.
bool on_device(const void* send, const void* recv);

/// True when `stream` is being captured into a graph.
bool is_captured(void* stream);

/// Copies within device memory, behind the work on `stream`; null: on the default stream, and waits.
void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream);

/// Pinned host memory for device data that must go through the host; grows, never shrinks.
class Staging {
 public:
  Staging();
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Host memory of `bytes` bytes, kept until the next call with more.
  std::byte* reserve(std::size_t bytes);
  /// To the host, behind the work on `stream` (null: the default stream). Returns when it is there.
  static void fetch(void* to, const void* device, std::size_t bytes, void* stream);
  /// To the device, on `stream`. Returns when it is there.
  static void deliver(void* device, const void* from, std::size_t bytes, void* stream);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace qr
