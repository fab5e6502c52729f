// What a measurement says: a line of the table for people, an object of the JSON file for programs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "stream.hpp"
#include "timing.hpp"

namespace qr::bench {

/// One line of the table.
struct Row {
  std::int64_t count = 0;
  Element element = Element::kFloat;
  Operation operation = Operation::kSum;
  std::string algorithm_asked;
  PlanText plan;
  Mode mode = Mode::kBlocking;
  int ranks = 1;
  Timing ours;
  std::optional<Timing> rival;       // MPI
  bool mpi_staged = false;           // on device memory: by copies to the host and back
  std::optional<Timing> nccl;        // or RCCL
  std::optional<double> wire_bytes;  // that one rank sends
  std::optional<double> peer_share;  // of the rate of plain copies to the peers
  std::optional<Accuracy> accuracy;
  std::optional<double> stream_share;

  [[nodiscard]] std::int64_t bytes() const { return count * static_cast<std::int64_t>(bytes_of(element)); }
  /// Bytes of the vector over time, and nccl-tests' bus bandwidth: times 2 (n - 1) / n, which for an exact
  /// all-reduce of uncompressed values is what each rank must send. With a lossy codec it is a figure of
  /// merit, not traffic.
  [[nodiscard]] double algorithm_gb_per_s() const;
  [[nodiscard]] double bus_gb_per_s() const;
  /// MPI's median over ours; 0 without a rival.
  [[nodiscard]] double speed_up() const;
  /// The same of NCCL or RCCL.
  [[nodiscard]] double speed_up_over_nccl() const;
  /// Of wire_bytes; 0 without.
  [[nodiscard]] double wire_gb_per_s() const;
  [[nodiscard]] bool passed() const { return !accuracy || accuracy->passed(); }
};

/// What all rows on device memory have in common.
struct DeviceFacts {
  std::string device, runtime;  // the first rank's, and versions of runtime and driver
  int devices = 1;              // that the ranks use
  int most_sharers = 1;         // ranks on the fullest of them
  std::string no_kernels;       // not empty: why calls go through host memory
  bool mpi_gpu_aware = false;   // MPI takes device pointers
  std::string nccl_kind;        // NCCL or RCCL
  std::string nccl;             // with its version; empty: not measured
  std::string nccl_absent;      // why
  std::string nccl_settings;    // its variables in the environment, as "NCCL_A=1 NCCL_B=2"
  double peer_gb_per_s = 0;     // that a rank sends by plain copies; 0: not measured
  std::int64_t peer_sent_bytes = 0;
  std::string peer_absent;  // why

  /// False if some ranks share a device: what they send each other then takes no link.
  [[nodiscard]] bool peer_rate_is_link() const { return most_sharers == 1; }
};

/// What stands above the table.
struct Header {
  Machine machine;
  Layout layout;
  std::string command_line;
  std::optional<StreamRate> stream;
  std::optional<DeviceFacts> device;
};

void print_header(const Header& header, const BenchOptions& options);
/// The columns of rows on device memory are others.
void print_row(const Row& row);
void print_device_header(const DeviceFacts& facts, const BenchOptions& options);
void print_device_row(const Row& row);
/// Last lines: what failed and what was left out.
void print_summary(const std::vector<Row>& rows, int left_out);

nlohmann::json json_of(const Machine& machine);
nlohmann::json json_of(const Layout& layout);
nlohmann::json json_of(const DeviceFacts& facts);
nlohmann::json json_of(const Row& row);

/// Microseconds with four digits or so, whatever the magnitude.
std::string text_from_us(double us);
/// SQNR as the table has it.
std::string text_from_decibels(double value);
/// "ok", "-" or what is wrong.
std::string verdict(const Row& row);

/// Throws std::runtime_error if the file cannot be written. Objects of an array stand one a line, so that
/// results kept under version control can be compared line by line.
void write_json(const std::string& path, const nlohmann::json& head, const std::vector<nlohmann::json>& rows);

}  // namespace qr::bench
