// The table of rows on device memory: within 160 columns.
#include <fmt/format.h>

#include <cstdio>

#include "report.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

std::string us_or_dash(const std::optional<Timing>& timing) {
  return timing ? text_from_us(timing->median_us) : "-";
}

std::string ratio_or_dash(double ratio) { return ratio > 0 ? fmt::format("{:.2f}x", ratio) : "-"; }

void print_peer_rate(const DeviceFacts& facts) {
  if (facts.peer_gb_per_s <= 0) {
    fmt::print("# plain copies to the peers: not measured: {}\n", facts.peer_absent);
    return;
  }
  fmt::print("# plain copies: each rank sends {:.1f} GB/s to its peers, all at once ({} a rank){}\n",
             facts.peer_gb_per_s, text_from_bytes(facts.peer_sent_bytes),
             facts.peer_rate_is_link() ? "" : "; NO LINK RATE: ranks share a device, this is its memory");
}

}  // namespace

void print_device_header(const DeviceFacts& facts, const BenchOptions& options) {
  fmt::print("# device memory: {} device(s) {}, {} rank(s) on the fullest; {}\n", facts.devices, facts.device,
             facts.most_sharers, facts.runtime);
  if (!facts.no_kernels.empty()) {
    fmt::print("# NO KERNELS: calls go through host memory, graphs are left out: {}\n", facts.no_kernels);
  }
  print_peer_rate(facts);
  if (facts.nccl.empty()) fmt::print("# {} is not measured: {}\n", facts.nccl_kind, facts.nccl_absent);
  if (!facts.nccl.empty()) {
    fmt::print("# {} takes turns with us, issued in the same way{}{}\n", facts.nccl,
               facts.nccl_settings.empty() ? "" : "; ", facts.nccl_settings);
  }
  if (options.rival) {
    fmt::print("# MPI: blocking, once a size; {}\n",
               facts.mpi_gpu_aware
                   ? "on device pointers, but 16-bit types by copies to the host and back"
                   : "it takes no device pointers: copy to pinned host memory, reduce, copy back");
  }
  fmt::print(
      "# time: median of the slowest rank's times a call; {}; share: wire bytes over time over plain "
      "copies\n",
      options.in_place ? "in place" : "out of place");
  fmt::print(
      "{:>10} {:>8} {:>4} {:>5} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>9} {:>7} {:>9} {:>8} {:>6} {:>7} "
      "{:>9}  {}\n",
      "bytes", "type", "op", "codec", "algo", "mode", "us", "min us", "alg", "wire", facts.nccl_kind + " us",
      "speed", "MPI us", "speed", "copy", "SQNR", "max", "check");
  fmt::print(
      "{:>10} {:>8} {:>4} {:>5} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>9} {:>7} {:>9} {:>8} {:>6} {:>7} "
      "{:>9}\n",
      "", "", "", "", "", "", "", "", "GB/s", "GB/s", "", "up", "", "up", "share", "dB", "error");
}

void print_device_row(const Row& row) {
  const std::string wire = row.wire_bytes ? fmt::format("{:.2f}", row.wire_gb_per_s()) : "-";
  const std::string share = row.peer_share ? fmt::format("{:.0f} %", 100 * *row.peer_share) : "-";
  const std::string noise = row.accuracy ? text_from_decibels(row.accuracy->sqnr_db) : "-";
  const std::string error = row.accuracy ? fmt::format("{:.2e}", row.accuracy->max_error) : "-";
  fmt::print(
      "{:>10} {:>8} {:>4} {:>5} {:>8} {:>8} {:>9} {:>9} {:>8.2f} {:>8} {:>9} {:>7} {:>9} {:>8} {:>6} {:>7} "
      "{:>9}  "
      "{}\n",
      row.bytes(), name_of(row.element), name_of(row.operation), row.plan.codec, row.plan.algorithm,
      name_of(row.mode), text_from_us(row.ours.median_us), text_from_us(row.ours.min_us),
      row.algorithm_gb_per_s(), wire, us_or_dash(row.nccl), ratio_or_dash(row.speed_up_over_nccl()),
      us_or_dash(row.rival), ratio_or_dash(row.speed_up()), share, noise, error, verdict(row));
  std::fflush(stdout);
}

}  // namespace qr::bench
