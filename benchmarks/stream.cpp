// Copies arrays on all ranks at once and takes the time of the slowest.
#include "stream.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "timing.hpp"

namespace qr::bench {
namespace {

constexpr int kRuns = 7;
constexpr std::int64_t kLeastBytes = 16 << 20;

/// STREAM's rule: arrays of four times the cache, over all ranks of a node; less where memory is short.
std::int64_t array_bytes_for(const Machine& machine, const Layout& layout) {
  const std::int64_t wanted =
      std::max(std::int64_t{256} << 20, 4 * machine.cache_bytes) / layout.ranks_per_node;
  const std::int64_t room = machine.free_bytes / 8 / layout.ranks_per_node;
  return std::max(kLeastBytes, std::min(wanted, room)) & ~std::int64_t{4095};
}

}  // namespace

StreamRate measure_stream(const Machine& machine, const Layout& layout, MPI_Comm comm) {
  StreamRate rate;
  // Ranks of different nodes may see different machines: all take what the poorest can.
  rate.array_bytes = static_cast<std::int64_t>(
      -max_over_ranks(-static_cast<double>(array_bytes_for(machine, layout)), comm));
  const auto bytes = static_cast<std::size_t>(rate.array_bytes);
  const auto from = std::make_unique<unsigned char[]>(bytes);
  const auto to = std::make_unique<unsigned char[]>(bytes);
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 2, bytes);
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    check(MPI_Barrier(comm), "MPI_Barrier");
    const double start = now_seconds();
    std::memcpy(to.get(), from.get(), bytes);
    // The copy must not be dropped as unused: read it through a pointer that the compiler cannot follow.
    asm volatile("" : : "r"(to.get()) : "memory");
    const double seconds = max_over_ranks(now_seconds() - start, comm);
    const double moved = 2.0 * static_cast<double>(bytes) * size_of(comm);
    best = std::max(best, moved / seconds / 1e9);
  }
  rate.gb_per_s = best;
  return rate;
}

double stream_share(const StreamRate& stream, int ranks, std::int64_t bytes, double time_us) {
  if (stream.gb_per_s <= 0 || time_us <= 0) return 0;
  return 2.0 * ranks * static_cast<double>(bytes) / (time_us * 1e3) / stream.gb_per_s;
}

}  // namespace qr::bench
