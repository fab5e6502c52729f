// The startup program: what a communicator costs, in time of its first call and in memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "command_line.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "mpi_support.hpp"
#include "report.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace qr::bench {
namespace {

constexpr double kSetUpTargetMs = 50;
constexpr std::int64_t kArenaTargetBytes = std::int64_t{64} << 20;
/// Allocators take memory in lumps; a message-sized buffer would be far larger.
constexpr std::int64_t kAllocatorNoiseBytes = std::int64_t{1} << 20;

struct Options {
  int repeat = 20;
  std::string large = "1GiB", json_file;
};

/// Milliseconds of one life of a communicator, each the slowest rank's.
struct Life {
  double dup = 0, first_call = 0, second_call = 0, free = 0;
};

template <class Function>
double slowest_ms(MPI_Comm comm, Function&& function) {
  check(MPI_Barrier(comm), "MPI_Barrier");
  const double start = now_seconds();
  function();
  return 1e3 * max_over_ranks(now_seconds() - start, comm);
}

void reduce_in_place(std::vector<float>& values, std::int64_t count, MPI_Comm comm) {
  check(qr_mpi_allreduce_c(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, comm),
        "qr_mpi_allreduce_c");
}

Life live_once(std::vector<float>& values) {
  Life life;
  MPI_Comm comm = MPI_COMM_NULL;
  life.dup = slowest_ms(MPI_COMM_WORLD, [&] { check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"); });
  life.first_call = slowest_ms(MPI_COMM_WORLD, [&] { reduce_in_place(values, 2, comm); });
  life.second_call = slowest_ms(MPI_COMM_WORLD, [&] { reduce_in_place(values, 2, comm); });
  life.free = slowest_ms(MPI_COMM_WORLD, [&] { check(MPI_Comm_free(&comm), "MPI_Comm_free"); });
  return life;
}

double median_of(std::vector<Life> lives, double Life::*what) {
  std::sort(lives.begin(), lives.end(), [&](const Life& a, const Life& b) { return a.*what < b.*what; });
  return lives[lives.size() / 2].*what;
}

/// Growth of memory since `base`, of the rank where it is greatest.
struct Growth {
  std::int64_t mapped = 0, shared_mapped = 0, resident = 0;
};

Growth growth_since(const Memory& base) {
  const Memory now = read_memory();
  const std::int64_t mapped = std::max(now.mapped - base.mapped, now.mapped_peak - base.mapped_peak);
  Growth growth{mapped, now.shared_mapped - base.shared_mapped, now.resident - base.resident};
  std::array<std::int64_t, 3> most{growth.mapped, growth.shared_mapped, growth.resident};
  check(MPI_Allreduce(MPI_IN_PLACE, most.data(), 3, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return {most[0], most[1], most[2]};
}

struct MemoryUse {
  std::int64_t small_bytes = std::int64_t{1} << 20, large_bytes = 0;
  PlanText plan;
  Growth small, large;
};

MemoryUse measure_memory(std::int64_t large_bytes) {
  MemoryUse use;
  use.large_bytes = large_bytes;
  // Written, so that the user's own pages are there before the first look and do not count as the library's.
  std::vector<float> values(static_cast<std::size_t>(large_bytes) / sizeof(float), 1.0F);
  const auto large_count = static_cast<std::int64_t>(values.size());
  const OwnedComm comm(MPI_COMM_WORLD);
  check(MPI_Barrier(comm.get()), "MPI_Barrier");
  growth_since(read_memory());  // what the reduction inside needs of MPI is there from now on
  const Memory base = read_memory();
  reduce_in_place(values, use.small_bytes / static_cast<std::int64_t>(sizeof(float)), comm.get());
  use.small = growth_since(base);
  reduce_in_place(values, large_count, comm.get());
  use.large = growth_since(base);
  use.plan = plan_of(comm.get(), large_count, MPI_FLOAT, MPI_SUM);
  return use;
}

/// The size asked for, halved until all ranks' vectors fit into three quarters of the free memory.
std::int64_t affordable(std::int64_t bytes, const Machine& machine, const Layout& layout) {
  const double room = 0.75 * static_cast<double>(machine.free_bytes) / layout.ranks_per_node;
  const auto common = static_cast<std::int64_t>(-max_over_ranks(-room, MPI_COMM_WORLD));
  while (bytes > std::max<std::int64_t>(common, 4 << 20)) bytes /= 2;
  return std::max<std::int64_t>(bytes, 4 << 20);
}

bool report(const char* what, const std::string& seen, const std::string& target, bool passed) {
  fmt::print("{:<58} {:>12} {:>12}  {}\n", what, seen, target, passed ? "ok" : "FAIL");
  return passed;
}

bool print_set_up(const Life& first, const std::vector<Life>& lives, int ranks) {
  fmt::print("{:<26} {:>12} {:>12} {:>12} {:>12}\n", "slowest rank, ms", "dup", "first call", "second call",
             "free");
  fmt::print("{:<26} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f}\n", "first in this process", first.dup,
             first.first_call, first.second_call, first.free);
  fmt::print("{:<26} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f}\n\n",
             fmt::format("median of {} more", lives.size()), median_of(lives, &Life::dup),
             median_of(lives, &Life::first_call), median_of(lives, &Life::second_call),
             median_of(lives, &Life::free));
  fmt::print("{:<58} {:>12} {:>12}\n", "", "seen", "target");
  const double usual = median_of(lives, &Life::first_call);
  return report(fmt::format("set-up: first call on a communicator of {} ranks", ranks).c_str(),
                fmt::format("{:.1f} ms", usual), fmt::format("< {:.0f} ms", kSetUpTargetMs),
                usual < kSetUpTargetMs);
}

bool print_memory(const MemoryUse& use, int ranks) {
  const std::string large = text_from_bytes(use.large_bytes);
  const std::int64_t arena = use.large.shared_mapped / ranks;
  bool passed = report("shared memory mapped for each rank of the communicator", text_from_bytes(arena),
                       "<= " + text_from_bytes(kArenaTargetBytes), arena <= kArenaTargetBytes);
  const std::int64_t limit = use.small.mapped + kAllocatorNoiseBytes;
  passed =
      report(("address space after reducing " + large + " against 1 MiB").c_str(),
             text_from_bytes(use.large.mapped), "<= " + text_from_bytes(limit), use.large.mapped <= limit) &&
      passed;
  fmt::print("{:<58} {:>12} {:>12}\n", "resident after 1 MiB, after " + large + " (shared pages divided)",
             text_from_bytes(use.small.resident), text_from_bytes(use.large.resident));
  fmt::print("plan of the large one: {}, {}: {}\n", use.plan.algorithm, use.plan.codec, use.plan.reason);
  return passed;
}

nlohmann::json json_of(const Life& life) {
  return {{"dup_ms", life.dup},
          {"first_call_ms", life.first_call},
          {"second_call_ms", life.second_call},
          {"free_ms", life.free}};
}

nlohmann::json json_of(const Growth& growth, std::int64_t message_bytes) {
  return {{"message_bytes", message_bytes},
          {"mapped_bytes", growth.mapped},
          {"shared_mapped_bytes", growth.shared_mapped},
          {"resident_bytes", growth.resident}};
}

int startup(int argc, char** argv) {
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  Options options;
  CLI::App app("Cost of a communicator: time of its first call and memory, against the targets.", "startup");
  app.add_option("--repeat", options.repeat, "communicators to make and free")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--large", options.large, "large message; halved until it fits into memory")
      ->capture_default_str();
  app.add_option("--json", options.json_file, "write the figures to this file");
  if (const auto code = parse_command_line(app, argc, argv, first)) return *code;
  const Machine machine = read_machine();
  const Layout layout = read_layout(MPI_COMM_WORLD);
  if (first) {
    fmt::print("# qr_mpi {} on {}, {} ranks on {} node(s); {}, {} cores; {}\n\n", qr_mpi_version(),
               machine.mpi, layout.ranks, layout.nodes, machine.cpu, machine.cores, machine.date);
  }
  std::vector<float> two(2, 0.0F);
  const Life first_life = live_once(two);
  std::vector<Life> lives;
  lives.reserve(static_cast<std::size_t>(options.repeat));
  for (int life = 0; life < options.repeat; ++life) lives.push_back(live_once(two));
  const MemoryUse use = measure_memory(affordable(bytes_from_text(options.large), machine, layout));
  int passed = 0;
  if (first) {
    passed = print_set_up(first_life, lives, layout.ranks) ? 1 : 0;
    passed = print_memory(use, layout.ranks) ? passed : 0;
    if (!options.json_file.empty()) {
      std::vector<nlohmann::json> rows;
      rows.reserve(lives.size());
      for (const Life& life : lives) rows.push_back(json_of(life));
      write_json(options.json_file,
                 {{"program", "startup"},
                  {"qr_mpi", qr_mpi_version()},
                  {"machine", json_of(machine)},
                  {"layout", json_of(layout)},
                  {"first_life", json_of(first_life)},
                  {"after_small", json_of(use.small, use.small_bytes)},
                  {"after_large", json_of(use.large, use.large_bytes)},
                  {"passed", passed == 1}},
                 rows);
    }
  }
  check(MPI_Bcast(&passed, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return passed == 1 ? 0 : 1;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::startup); }
