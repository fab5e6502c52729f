// The device back end: sessions over arenas in device memory, one kernel a call.
#pragma once

#include <string>

#include "kernels/gpu/gpu_kernels.hpp"
#include "lib/backend.hpp"
#include "lib/backends/hip/device_arenas.hpp"

namespace qr {

class DeviceSession final : public Session {
 public:
  DeviceSession(DeviceArenas arenas, DevicePlace place, Bootstrap& bootstrap, std::int64_t timeout_ms);
  ~DeviceSession() override;

  /// After all work on the legacy default stream; returns when the result is there. Runs beside that stream,
  /// in which calls of several communicators (of several threads) would wait for each other.
  Outcome run(const Work& work) override;

  /// Returns once the work is queued on `stream` (a hipStream_t), behind this session's earlier calls on
  /// other streams. The outcome is that of an earlier call on a stream, if one failed meanwhile: then nothing
  /// was queued, and nothing can be. May be captured into a graph; then the order against calls on other
  /// streams is the caller's business.
  Outcome run_on_stream(const Work& work, void* stream) override;

  Outcome handshake(const Work& work) override;
  void abort(Verdict reason, int about) override;
  [[nodiscard]] const ArenaLayout& layout() const override { return arenas_.layout; }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] int device() const override { return place_.device; }
  [[nodiscard]] DeviceTraits traits() const override {
    return {place_.name, place_.sharers, flagged_blocks()};
  }

 private:
  [[nodiscard]] int flagged_blocks() const;  // of the largest flagged exchange, equal on all ranks
  GpuCall call_of(const Work& work) const;
  void launch(const GpuKernel& kernel, GpuCall& call, int blocks, hipStream_t stream);
  void launch_work(const Work& work, hipStream_t stream);
  void follow(hipStream_t stream);
  /// The stream of calls that wait, behind the default stream and this session's earlier calls.
  hipStream_t enter();
  /// Waits for what was launched on that stream, and says how it ended.
  Outcome finish();
  [[nodiscard]] Outcome read_outcome() const;
  void recover(Outcome& outcome);

  DevicePlace place_;
  DeviceArenas arenas_;
  DeviceMemory state_;
  PinnedMemory outcome_;
  void* outcome_address_ = nullptr;  // as the device sees it
  Event last_;                       // after the last call that was not captured
  Event default_;                    // in the default stream, where the last call that waits came
  Stream queue_;                     // of calls that wait
  Stream side_;                      // for abort notes, beside kernels that wait
  Bootstrap& bootstrap_;
  int rank_;
  std::uint64_t timeout_ticks_;
  bool launches_early_ = false;
};

}  // namespace qr
