// The copies behind Staging of lib/device.hpp.
#include <algorithm>
#include <bit>

#include "lib/backends/hip/device_memory.hpp"
#include "lib/device.hpp"

namespace qr {

namespace {
// Pinning costs about a millisecond whatever the size, so a lane grows by doubling.
constexpr std::size_t kLeastLane = std::size_t{64} << 10;
}  // namespace

struct Staging::Memory {
  struct Lane {
    Event fetched;
    Event delivered;
  };

  explicit Memory(int a_device)
      : device(a_device), ready(create_event()), down(create_stream()), up(create_stream()) {
    for (Lane& lane : lanes) lane = {create_event(), create_event()};
  }

  /// Returns when no copy is running.
  void settle() const noexcept {
    hip_ignore(hipStreamSynchronize(down.get()));
    hip_ignore(hipStreamSynchronize(up.get()));
  }

  int device;  // that streams and events belong to
  Event ready;
  Stream down;
  Stream up;
  Lane lanes[kLanes];
  PinnedMemory pinned;
  std::size_t half = 0;  // bytes for one direction of a lane
  int lane_count = 0;    // that `pinned` has room for
  hipStream_t user{};    // of the call that begin() began
};

Staging::Staging() = default;

Staging::~Staging() { release(); }

void Staging::begin(std::size_t bytes, int lanes, void* stream) {
  if (const int current = current_device(); !memory_ || memory_->device != current) {
    release();
    memory_ = std::make_unique<Memory>(current);
  }
  Memory& memory = *memory_;
  if (bytes > memory.half || lanes > memory.lane_count) {
    memory.settle();
    memory.pinned = {};
    const std::size_t half = std::max({std::bit_ceil(bytes), memory.half, kLeastLane});
    memory.half = 0;
    memory.lane_count = std::max(lanes, memory.lane_count);
    void* address = nullptr;
    memory.pinned = allocate_pinned(2 * half * static_cast<std::size_t>(memory.lane_count), &address);
    memory.half = half;
  }
  memory.user = static_cast<hipStream_t>(stream);
  hip_check(hipEventRecord(memory.ready.get(), memory.user), "record an event");
  hip_check(hipStreamWaitEvent(memory.down.get(), memory.ready.get(), 0), "order a stream behind another");
}

std::byte* Staging::input(int lane) const {
  return static_cast<std::byte*>(memory_->pinned.get()) + 2 * memory_->half * static_cast<std::size_t>(lane);
}

std::byte* Staging::output(int lane) const { return input(lane) + memory_->half; }

void Staging::fetch(int lane, std::byte* to, const void* device, std::size_t bytes) {
  const hipStream_t down = memory_->down.get();
  hip_check(hipMemcpyAsync(to, device, bytes, hipMemcpyDeviceToHost, down), "copy from the device");
  hip_check(hipEventRecord(memory_->lanes[lane].fetched.get(), down), "record an event");
}

void Staging::wait_for_lane(int lane) {
  hip_check(hipEventSynchronize(memory_->lanes[lane].fetched.get()), "copy from the device");
  // Also of a call before, which may have returned with its last deliveries on their way.
  hip_check(hipEventSynchronize(memory_->lanes[lane].delivered.get()), "copy to the device");
}

void Staging::deliver(int lane, void* device, std::size_t bytes) {
  const hipStream_t up = memory_->up.get();
  hip_check(hipMemcpyAsync(device, output(lane), bytes, hipMemcpyHostToDevice, up), "copy to the device");
  hip_check(hipEventRecord(memory_->lanes[lane].delivered.get(), up), "record an event");
}

void Staging::end(bool wait) {
  // The copies of `up` run in order, so the last event covers all of them.
  const Memory& memory = *memory_;
  hip_check(hipEventRecord(memory.ready.get(), memory.up.get()), "record an event");
  hip_check(hipStreamWaitEvent(memory.user, memory.ready.get(), 0), "order a stream behind another");
  if (wait) hip_check(hipEventSynchronize(memory.ready.get()), "copy to the device");
}

void Staging::give_up() noexcept {
  if (memory_) memory_->settle();
}

void Staging::release() noexcept {
  give_up();
  memory_.reset();
}

}  // namespace qr
