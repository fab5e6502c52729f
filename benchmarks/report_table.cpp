// The table of qr_mpi_bench on stdout.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "report.hpp"
#include "text.hpp"

namespace qr::bench {
std::string text_from_decibels(double value) {
  return std::isinf(value) ? "exact" : fmt::format("{:.2f}", value);
}

std::string verdict(const Row& row) {
  if (!row.accuracy) return "-";
  if (!row.accuracy->same_bits) return "FAIL: bits differ between ranks";
  if (!(row.accuracy->bound_share <= 1))
    return fmt::format("FAIL: {:.3g} times the bound", row.accuracy->bound_share);
  return "ok";
}

std::string text_from_us(double us) {
  return us < 10     ? fmt::format("{:.3f}", us)
         : us < 1000 ? fmt::format("{:.1f}", us)
                     : fmt::format("{:.0f}", us);
}

double Row::algorithm_gb_per_s() const { return static_cast<double>(bytes()) / (ours.median_us * 1e3); }
double Row::bus_gb_per_s() const { return algorithm_gb_per_s() * 2 * (ranks - 1) / ranks; }
double Row::speed_up() const { return rival ? rival->median_us / ours.median_us : 0; }
double Row::speed_up_over_nccl() const { return nccl ? nccl->median_us / ours.median_us : 0; }
double Row::wire_gb_per_s() const { return wire_bytes.value_or(0) / (ours.median_us * 1e3); }

void print_header(const Header& header, const BenchOptions& options) {
  const Machine& machine = header.machine;
  fmt::print("# qr_mpi {} on {}, {} ranks on {} node(s)\n", qr_mpi_version(), machine.mpi,
             header.layout.ranks, header.layout.nodes);
  fmt::print("# {}, {} cores, {} memory; {}; {}\n", machine.cpu, machine.cores,
             text_from_bytes(machine.memory_bytes), machine.system, machine.date);
  fmt::print("# {}\n", header.command_line);
  if (oversubscribed(machine, header.layout)) {
    fmt::print("# more ranks than cores: the times tell more of the scheduler than of the library\n");
  }
  if (machine.load > machine.cores) {
    fmt::print(
        "# load average {:.1f} on {} cores: other programs disturb; trust the least times over the medians\n",
        machine.load, machine.cores);
  }
  if (header.stream) {
    fmt::print("# stream: all ranks copying at once move {:.2f} GB/s (read + written, arrays of {})\n",
               header.stream->gb_per_s, text_from_bytes(header.stream->array_bytes));
  }
  if (header.device) return print_device_header(*header.device, options);
  fmt::print("# time: median of the slowest rank's times; {}; MPI takes turns with us\n",
             options.in_place ? "in place" : "out of place");
  fmt::print(
      "{:>10} {:>11} {:>8} {:>4} {:>5} {:>8} {:>9} {:>9} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7} {:>9}  {}\n",
      "bytes", "count", "type", "op", "codec", "algo", "us", "min us", "alg", "bus", "MPI us", "speed",
      "stream", "SQNR", "max", "check");
  fmt::print("{:>10} {:>11} {:>8} {:>4} {:>5} {:>8} {:>9} {:>9} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7} {:>9}\n",
             "", "", "", "", "", "", "", "", "GB/s", "GB/s", "", "up", "share", "dB", "error");
}

void print_row(const Row& row) {
  const std::string rival = row.rival ? text_from_us(row.rival->median_us) : "-";
  const std::string speed_up = row.rival ? fmt::format("{:.2f}x", row.speed_up()) : "-";
  const std::string share = row.stream_share ? fmt::format("{:.0f} %", 100 * *row.stream_share) : "-";
  const std::string noise = row.accuracy ? text_from_decibels(row.accuracy->sqnr_db) : "-";
  const std::string error = row.accuracy ? fmt::format("{:.2e}", row.accuracy->max_error) : "-";
  fmt::print(
      "{:>10} {:>11} {:>8} {:>4} {:>5} {:>8} {:>9} {:>9} {:>7.3f} {:>7.3f} {:>9} {:>7} {:>7} {:>7} {:>9}  "
      "{}\n",
      row.bytes(), row.count, name_of(row.element), name_of(row.operation), row.plan.codec,
      row.plan.algorithm, text_from_us(row.ours.median_us), text_from_us(row.ours.min_us),
      row.algorithm_gb_per_s(), row.bus_gb_per_s(), rival, speed_up, share, noise, error, verdict(row));
  std::fflush(stdout);
}

void print_summary(const std::vector<Row>& rows, int left_out) {
  int failed = 0, checked = 0;
  for (const Row& row : rows) {
    failed += row.passed() ? 0 : 1;
    checked += row.accuracy ? 1 : 0;
  }
  if (left_out > 0) {
    fmt::print(
        "# left out: {} combination(s) in which the library does not use the codec that was asked for\n",
        left_out);
  }
  fmt::print("# {} row(s), {} checked, {} failed\n", rows.size(), checked, failed);
}

}  // namespace qr::bench
