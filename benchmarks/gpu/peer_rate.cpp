// Exports an inbox a rank, maps those of the peers, and copies into all of them at the same time.
#include "peer_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bench_kernels.hpp"
#include "lib/backends/hip/ipc_mapping.hpp"

namespace qr::bench {
namespace {

constexpr std::int64_t kBytes = std::int64_t{256} << 20;  // that a rank sends: several times what caches hold
constexpr std::int64_t kLine = 4096;                      // slices begin at multiples of this
constexpr int kRuns = 7;
constexpr int kCopiesInRun = 8;

/// This rank's inbox, with a slice for each rank, and the peers' inboxes.
struct Inboxes {
  DeviceMemory mine;
  std::vector<std::shared_ptr<void>> of_rank;  // empty for this rank
  std::int64_t slice_bytes = 0;
};

/// Collective: runs `step` and lets all ranks know the first error.
template <class Step>
std::string together(MPI_Comm comm, const Step& step) {
  std::string complaint;
  try {
    step();
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  return first_complaint(complaint, comm);
}

/// Fills `inboxes` on all ranks, or says why it cannot.
std::string map_inboxes(const Device& device, MPI_Comm comm, Inboxes& inboxes) {
  const int ranks = size_of(comm);
  const int rank = rank_of(comm);
  hipIpcMemHandle_t handle{};
  std::string complaint = together(comm, [&] {
    inboxes.mine = allocate_shared(static_cast<std::size_t>(inboxes.slice_bytes * ranks));
    handle = export_memory(inboxes.mine.get());
  });
  if (!complaint.empty()) return complaint;
  std::vector<hipIpcMemHandle_t> handles(static_cast<std::size_t>(ranks));
  check(MPI_Allgather(&handle, sizeof handle, MPI_BYTE, handles.data(), sizeof handle, MPI_BYTE, comm),
        "MPI_Allgather");
  return together(comm, [&] {
    for (int peer = 0; peer < ranks; ++peer) {
      inboxes.of_rank.push_back(
          peer == rank ? nullptr : map_memory(handles[static_cast<std::size_t>(peer)], device.ordinal));
    }
  });
}

/// Each rank sends bytes of its own number; all of them must be in the inboxes of its next `peers`
/// neighbours.
void check_arrival(const Inboxes& inboxes, int peers, MPI_Comm comm) {
  std::vector<unsigned char> inbox(static_cast<std::size_t>(inboxes.slice_bytes) * inboxes.of_rank.size());
  hip_check(hipMemcpy(inbox.data(), inboxes.mine.get(), inbox.size(), hipMemcpyDeviceToHost),
            "read an inbox");
  std::string complaint;
  for (std::size_t peer = 0; peer < inboxes.of_rank.size(); ++peer) {
    const int ranks = size_of(comm);
    const int steps = (rank_of(comm) - static_cast<int>(peer) + ranks) % ranks;
    if (steps == 0 || steps > peers) continue;
    const auto* const slice = inbox.data() + peer * static_cast<std::size_t>(inboxes.slice_bytes);
    const auto expected = static_cast<unsigned char>(peer + 1);
    if (std::any_of(slice, slice + inboxes.slice_bytes,
                    [=](unsigned char byte) { return byte != expected; })) {
      complaint = fmt::format("the plain copy from rank {} has not arrived whole", peer);
    }
  }
  if (const std::string first = first_complaint(complaint, comm); !first.empty()) throw CommonError(first);
}

double best_rate(const Device& device, const StreamTimer& timer, const PeerCopy& copy, MPI_Comm comm) {
  const double bytes = 16.0 * static_cast<double>(copy.quads) * copy.peers * kCopiesInRun;
  double best = 0;
  for (const int blocks_each : {1, 2, 4}) {
    const int blocks = std::max(1, device.multiprocessors / device.most_sharers) * blocks_each;
    const auto queue = [&] {
      queue_peer_copy(timer.stream(), copy, blocks);
      hip_check(hipGetLastError(), "launch a copy");
    };
    for (int run = 0; run < kRuns; ++run) {
      check(MPI_Barrier(comm), "MPI_Barrier");
      const double seconds = timer.time(queue, [&] {
        for (int time = 0; time < kCopiesInRun; ++time) queue();
      });
      best = std::max(best, bytes / max_over_ranks(seconds, comm) / 1e9);
    }
  }
  return best;
}

}  // namespace

PeerRate measure_peer_rate(const Device& device, const StreamTimer& timer, MPI_Comm comm, int most_peers) {
  PeerRate rate;
  const int ranks = size_of(comm);
  const int rank = rank_of(comm);
  if (ranks == 1) return {0, 0, "a single rank has no peers"};
  if (device.nodes > 1) return {0, 0, "ranks of several nodes"};
  if (ranks - 1 > kMostPeers) return {0, 0, fmt::format("more than {} ranks", kMostPeers + 1)};

  const int peers = std::min(ranks - 1, most_peers);
  Inboxes inboxes;
  inboxes.slice_bytes = kBytes / peers / kLine * kLine;
  DeviceMemory from;
  rate.absent = map_inboxes(device, comm, inboxes);
  if (rate.absent.empty()) {
    rate.sent_bytes = inboxes.slice_bytes * peers;
    rate.absent = together(comm, [&] {
      from = allocate_device(static_cast<std::size_t>(rate.sent_bytes));
      hip_check(hipMemset(from.get(), rank + 1, static_cast<std::size_t>(rate.sent_bytes)), "fill a buffer");
      hip_check(hipDeviceSynchronize(), "fill a buffer");
    });
  }
  if (rate.absent.empty()) {
    PeerCopy copy{};
    copy.from = from.get();
    copy.quads = inboxes.slice_bytes / 16;
    copy.peers = peers;
    for (int step = 1; step <= peers; ++step) {
      // Each rank begins with its right neighbour, so that none is written to by all.
      const auto peer = static_cast<std::size_t>((rank + step) % ranks);
      copy.to[step - 1] = static_cast<std::byte*>(inboxes.of_rank[peer].get()) + rank * inboxes.slice_bytes;
    }
    rate.gb_per_s = best_rate(device, timer, copy, comm);
    check(MPI_Barrier(comm), "MPI_Barrier");  // what the peers send has arrived
    check_arrival(inboxes, peers, comm);
  }
  inboxes.of_rank.clear();
  check(MPI_Barrier(comm), "MPI_Barrier");  // nobody has this rank's inbox mapped any more
  return rate;
}

}  // namespace qr::bench
