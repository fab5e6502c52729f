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

/// Returns when the work that `stream` (null: the default stream) holds is done.
void wait_for(void* stream);

/// Ordinal of the current device.
int current_device();

/// Device data on their way through pinned host memory, piece by piece. The copies run on two streams of
/// their own, one a direction, beside the host's work: behind what the caller's stream held at begin(),
/// before what it gets after end(). A lane is room for one piece before and after its reduction; with two,
/// the host works on a piece while the one before is delivered and the next one fetched. Throws
/// Error(kSystem).
class Staging {
 public:
  static constexpr int kLanes = 2;

  Staging();
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// A call whose pieces have up to `bytes` bytes and use `lanes` lanes. Memory grows, and never shrinks.
  void begin(std::size_t bytes, int lanes, void* stream);
  [[nodiscard]] std::byte* input(int lane) const;
  [[nodiscard]] std::byte* output(int lane) const;

  /// Starts a copy from the device to `to`, which lies in the lane.
  void fetch(int lane, std::byte* to, const void* device, std::size_t bytes);
  /// Returns when what was fetched into the lane is there, and its output may be written.
  void wait_for_lane(int lane);
  /// Starts a copy of the lane's output to the device.
  void deliver(int lane, void* device, std::size_t bytes);

  /// What is queued on the caller's stream from now on waits for what was delivered; `wait`: this call too.
  void end(bool wait);
  /// Instead of end(), after a failure: when it returns, the user's memory is no longer touched.
  void give_up() noexcept;
  /// Gives memory and streams back, until the next begin().
  void release() noexcept;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace qr
