// Measures rows on device memory.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "device.hpp"
#include "device_rival.hpp"
#include "nccl.hpp"
#include "peer_rate.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "stream_timer.hpp"

namespace qr::bench {

/// Owns the buffers, the stream, and three communicators: the library's, MPI's and NCCL's.
class DeviceRunner final : public RowRunner {
 public:
  /// Collective. Throws CommonError if a rank has no device.
  explicit DeviceRunner(const BenchOptions& options);

  /// What all rows have in common.
  [[nodiscard]] const DeviceFacts& facts() const { return facts_; }

  std::optional<Row> run(const Case& what) override;

 private:
  using Call = std::function<void(const void* send)>;

  void load(Element element);
  void restore(std::size_t bytes) const;
  void probe();
  [[nodiscard]] Contestant contestant(Mode mode, const Call& call, std::size_t bytes) const;
  [[nodiscard]] Call queued_call(const Row& row) const;
  [[nodiscard]] Call blocking_call(const Row& row) const;
  [[nodiscard]] Call nccl_call(const Row& row) const;
  Timing time_mpi(const Row& row);
  Accuracy check_row(const Row& row);

  const BenchOptions& options_;
  OwnedComm ours_, rivals_;
  Device device_;
  StreamTimer timer_;
  DeviceRival rival_;
  std::unique_ptr<Nccl> nccl_;  // null: not wanted
  DeviceFacts facts_;
  std::size_t buffer_bytes_;
  DeviceMemory inputs_, output_;
  std::unique_ptr<unsigned char[]> host_;
  std::optional<Element> loaded_;
  std::map<std::tuple<std::int64_t, Element, Operation>, Timing> mpi_timings_;
};

}  // namespace qr::bench
