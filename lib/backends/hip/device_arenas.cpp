// Set-up of the device arenas: every step ends in an agreement, and no mapping is trusted before both ends
// proved it.
#include "lib/backends/hip/device_arenas.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>

#include "lib/backends/hip/ipc_mapping.hpp"
#include "lib/backends/hip/shape.hpp"
#include "lib/backends/host/shared_memory.hpp"
#include "lib/faults.hpp"

namespace qr {

namespace {

constexpr std::size_t kLine = 128;
constexpr std::size_t kLargestRegion =
    17408;  // eight packets of 8-bit codes, the most that a block of any kernel uses
constexpr std::size_t kSmallestRegion = kLargestRegion / 2;
constexpr int kMostBlocksEach = 3;           // of a multiprocessor, of any kernel
constexpr std::size_t kControlShare = 1024;  // of a region, ample for the signals that come with it

/// What a rank tells the others of its arena.
struct Card {
  std::int64_t pid;
  std::int32_t device;
  std::uint64_t address;  // used by ranks of the same process
  Nonce process;          // drawn once a process: equal pids may belong to different process namespaces
  Nonce nonce;            // in the arena's header
  hipIpcMemHandle_t handle;
};

const Nonce& process_nonce() {
  static const Nonce nonce = draw_nonce();
  return nonce;
}

/// Runs a step that may throw; what it threw becomes this rank's vote.
Agreement step(Bootstrap& bootstrap, const std::function<void()>& body) {
  Vote vote;
  try {
    body();
  } catch (const Error& error) {
    vote = {error.status(), "rank " + std::to_string(bootstrap.rank()) + ": " + error.what()};
  }
  return agree(bootstrap, vote);
}

template <class T>
void write_device(std::byte* to, const T& value) {
  hip_check(hipMemcpy(to, &value, sizeof value, hipMemcpyHostToDevice), "write an arena");
}
template <class T>
T read_device(const std::byte* from) {
  T value;
  hip_check(hipMemcpy(&value, from, sizeof value, hipMemcpyDeviceToHost), "read an arena");
  return value;
}

void create_own(DeviceArenas& arenas, Card& card, int device) {
  arenas.own = allocate_shared(arenas.layout.total_bytes() + flagged_bytes(arenas.layout));
  auto* base = static_cast<std::byte*>(arenas.own.get());
  card.pid = getpid();
  card.device = device;
  card.address = reinterpret_cast<std::uint64_t>(base);
  card.process = process_nonce();
  card.nonce = draw_nonce();
  card.handle = export_memory(base);
  write_device(base + offsetof(ArenaHeader, magic), kArenaMagic);
  write_device(base + offsetof(ArenaHeader, nonce), card.nonce);
  hip_check(hipDeviceSynchronize(), "write an arena");
}

void map_peer(DeviceArenas& arenas, const Card& own, int peer, const Card& card) {
  std::byte* base = nullptr;
  if (card.pid == own.pid && card.process == own.process) {
    base = reinterpret_cast<std::byte*>(card.address);
    if (card.device != own.device) {
      const hipError_t error = hipDeviceEnablePeerAccess(card.device, 0);
      if (error == hipErrorPeerAccessAlreadyEnabled) {
        (void)hipGetLastError();
      } else {
        hip_check(error, "reach another device of this process");
      }
    }
  } else {
    arenas.mappings.push_back(map_memory(card.handle, own.device));
    base = static_cast<std::byte*>(arenas.mappings.back().get());
  }
  const auto magic = read_device<std::uint64_t>(base + offsetof(ArenaHeader, magic));
  const auto nonce = read_device<Nonce>(base + offsetof(ArenaHeader, nonce));
  if (magic != kArenaMagic || !(nonce == card.nonce)) {
    throw Error(Status::kUnavailable,
                "the memory mapped for rank " + std::to_string(peer) + " is not that rank's arena");
  }
  arenas.base[static_cast<std::size_t>(peer)] = base;
}

/// What rank `from` leaves for `to` in its arena: only the two of them can compute it.
std::uint64_t token(const Card& from, const Card& to) {
  return (from.nonce.half[0] * 0x9e3779b97f4a7c15ULL) ^ to.nonce.half[1];
}

std::byte* token_place(const DeviceArenas& arenas, int owner, int source) {
  return arenas.base[static_cast<std::size_t>(owner)] +
         arenas.layout.region_offset(0, Ring::kScatter, 0, source);
}

}  // namespace

int flagged_blocks(const ArenaLayout& layout) {
  return std::min(most_flagged_blocks(layout.world), layout.blocks);
}

std::size_t flagged_bytes(const ArenaLayout& layout) {
  return static_cast<std::size_t>(flagged_blocks(layout) * kFlaggedRounds * layout.world) * kFlaggedBytes;
}

ArenaLayout device_layout(int world, int multiprocessors) {
  ArenaLayout layout;
  layout.world = world;
  const auto regions = [&](std::size_t count) {
    return count * static_cast<std::size_t>(kRings * kRounds * world);
  };
  layout.blocks = most_flagged_blocks(world);
  const std::size_t bytes = kDeviceArenaBytes - flagged_bytes(layout);
  const std::size_t most = bytes / (regions(1) * (kSmallestRegion + kControlShare));
  layout.blocks = std::max(1, static_cast<int>(std::min<std::size_t>(
                                  static_cast<std::size_t>(multiprocessors * kMostBlocksEach), most)));
  const std::size_t share =
      (bytes - layout.regions_offset()) / regions(static_cast<std::size_t>(layout.blocks)) / kLine * kLine;
  layout.region_bytes = std::min(share, kLargestRegion);
  return layout;
}

Agreement make_device_arenas(Bootstrap& bootstrap, const DevicePlace& place, DeviceArenas& arenas) {
  const int world = bootstrap.size();
  const int rank = bootstrap.rank();
  DeviceArenas attempt;  // dropped whole when a step fails
  Card card{};
  Agreement agreement = step(bootstrap, [&] {
    const DeviceGuard guard(place.device);
    attempt.layout = device_layout(world, place.multiprocessors);
    create_own(attempt, card, place.device);
  });
  if (!agreement.ok()) return agreement;

  DeviceArenas decoy;
  if (fault_names("wrong_device_arena", rank)) {
    Card other{};
    decoy.layout = attempt.layout;
    create_own(decoy, other, place.device);
    card.handle = other.handle;
    card.address = other.address;
  }
  const std::vector<Card> cards = gather_all(bootstrap, card);
  const auto card_of = [&](int peer) -> const Card& { return cards[static_cast<std::size_t>(peer)]; };
  attempt.base.resize(static_cast<std::size_t>(world));
  agreement = step(bootstrap, [&] {
    const DeviceGuard guard(place.device);
    for (int peer = 0; peer < world; ++peer) map_peer(attempt, card, peer, card_of(peer));
    // The way back: what each rank wrote into this arena must arrive in it.
    for (int peer = 0; peer < world; ++peer)
      write_device(token_place(attempt, peer, rank), token(card, card_of(peer)));
    hip_check(hipDeviceSynchronize(), "write the peers' arenas");
  });
  if (!agreement.ok()) return agreement;
  agreement = step(bootstrap, [&] {
    const DeviceGuard guard(place.device);
    for (int peer = 0; peer < world; ++peer) {
      std::byte* at = token_place(attempt, rank, peer);
      if (read_device<std::uint64_t>(at) != token(card_of(peer), card)) {
        throw Error(Status::kUnavailable,
                    "what rank " + std::to_string(peer) + " wrote did not arrive in this rank's arena");
      }
    }
  });
  if (agreement.ok()) arenas = std::move(attempt);
  return agreement;
}

}  // namespace qr
