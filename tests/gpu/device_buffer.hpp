// Device memory with guard bytes on both sides, at any offset, and a session over it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "effort.hpp"
#include "host_result.hpp"
#include "lib/backends/hip/device_memory.hpp"
#include "lib/backends/hip/device_session.hpp"
#include "lib/call_record.hpp"
#include "lib/cost_model.hpp"

namespace qr::test {

/// `bytes` bytes that start `offset` bytes after a 256-byte boundary, with 64 guard bytes before and behind
/// them.
class DeviceBuffer {
 public:
  DeviceBuffer(std::size_t bytes, std::size_t offset)
      : bytes_(bytes),
        start_(256 + offset),
        total_(start_ + bytes + kGuard),
        memory_(allocate_device(total_)) {
    hip_check(hipMemset(memory_.get(), kFill, total_), "fill a buffer");
  }
  [[nodiscard]] void* data() const { return static_cast<std::byte*>(memory_.get()) + start_; }
  void write(const Bytes& values) const {
    hip_check(hipMemcpy(data(), values.data(), bytes_, hipMemcpyHostToDevice), "write a buffer");
    hip_check(hipDeviceSynchronize(), "write a buffer");
  }
  [[nodiscard]] Bytes read() const {
    Bytes values(bytes_);
    hip_check(hipMemcpy(values.data(), data(), bytes_, hipMemcpyDeviceToHost), "read a buffer");
    return values;
  }
  /// True when nothing around the values was touched.
  [[nodiscard]] bool guards_hold() const {
    Bytes before(kGuard);
    Bytes behind(kGuard);
    const auto* start = static_cast<const std::byte*>(data());
    hip_check(hipMemcpy(before.data(), start - kGuard, kGuard, hipMemcpyDeviceToHost), "read a guard");
    hip_check(hipMemcpy(behind.data(), start + bytes_, kGuard, hipMemcpyDeviceToHost), "read a guard");
    const Bytes good(kGuard, std::byte{kFill});
    return before == good && behind == good;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr int kFill = 0x5A;
  std::size_t bytes_;
  std::size_t start_;
  std::size_t total_;
  DeviceMemory memory_;
};

/// Like make_device_session(), but on so few multiprocessors (0: all there are) that small data take several
/// tiles. `timeout_ms` is for a GPU: a slower device gets more (effort.hpp). Throws.
inline std::unique_ptr<DeviceSession> make_session(Bootstrap& bootstrap, int multiprocessors,
                                                   std::int64_t timeout_ms) {
  int devices = 0;
  hip_check(hipGetDeviceCount(&devices), "count devices");
  hip_check(hipSetDevice(bootstrap.rank() % devices), "choose a device");
  DevicePlace place;
  Agreement why = find_places(bootstrap, 1, place);
  if (!why.ok()) throw Error(why.status, why.text);
  if (multiprocessors > 0) place.multiprocessors = std::min(place.multiprocessors, multiprocessors);
  DeviceArenas arenas;
  why = make_device_arenas(bootstrap, place, arenas);
  if (!why.ok()) throw Error(why.status, why.text);
  return std::make_unique<DeviceSession>(std::move(arenas), place, bootstrap, timeout_ms * slower());
}

/// The plan, or for an exchange that the session's arenas have room for the flagged form of it.
inline Plan flagged_if_short(const DeviceSession& session, const Request& request, Plan plan) {
  plan.flagged = plan.algorithm == Algorithm::kExchange &&
                 fits_flagged(plan.codec, request.type, request.count, session.traits().flagged_blocks);
  return plan;
}

inline Work make_work(const void* send, void* recv, const Request& request, const Plan& plan) {
  Work work{.send = send, .recv = recv, .request = request, .plan = plan};
  work.record = record_of(request, plan);
  return work;
}

inline std::string text_of(const Outcome& outcome) {
  return "verdict " + std::to_string(static_cast<int>(outcome.verdict)) + " about rank " +
         std::to_string(outcome.peer) + ", expected signal " + std::to_string(outcome.expected) + ", saw " +
         std::to_string(outcome.seen);
}

}  // namespace qr::test
