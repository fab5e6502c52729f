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
  int ranks = 1;
  Timing ours;
  std::optional<Timing> rival;
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
  [[nodiscard]] bool passed() const { return !accuracy || accuracy->passed(); }
};

/// What stands above the table.
struct Header {
  Machine machine;
  Layout layout;
  std::string command_line;
  std::optional<StreamRate> stream;
};

void print_header(const Header& header, const BenchOptions& options);
void print_row(const Row& row);
/// Last lines: what failed and what was left out.
void print_summary(const std::vector<Row>& rows, int left_out);

nlohmann::json json_of(const Machine& machine);
nlohmann::json json_of(const Layout& layout);
nlohmann::json json_of(const Row& row);

/// Throws std::runtime_error if the file cannot be written. Objects of an array stand one a line, so that
/// results kept under version control can be compared line by line.
void write_json(const std::string& path, const nlohmann::json& head, const std::vector<nlohmann::json>& rows);

}  // namespace qr::bench
