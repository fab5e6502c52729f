// Set-up of the host arenas: every step ends in an agreement, and no mapping is trusted before both ends
// proved it.
#include "lib/backends/host/host_arenas.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "lib/faults.hpp"

namespace qr {

namespace {

// Long tiles make handshakes rare, and a peer's reading is faster once the lines have left the writer's own
// cache: 256 KiB gave 25 GB/s in and 16 GB/s out where 32 KiB gave 12 and 10 (Xeon, two processes). With many
// ranks memory is the limit.
constexpr std::size_t kLargestRegion = 256 << 10;
constexpr std::size_t kSmallRegion = 32 << 10;
constexpr std::size_t kSmallestRegion = 16 << 10;  // one packet of the widest type
constexpr std::size_t kComfortableTotal = 8 << 20;
constexpr std::size_t kPage = 4096;
constexpr const char* kDefaultDirectory = "/dev/shm";

/// What a rank tells the others of its arena.
struct Card {
  std::int64_t pid;
  std::int32_t fd;
  std::uint64_t address;  // of the owner's mapping: used by ranks of the same process
  Nonce process;          // drawn once a process: equal pids may belong to different process namespaces
  Nonce nonce;            // in the arena's header
  char path[256];         // where the arena is a file
};

const Nonce& process_nonce() {
  static const Nonce nonce = draw_nonce();
  return nonce;
}

ArenaHeader& header_of(std::byte* arena) { return *reinterpret_cast<ArenaHeader*>(arena); }

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

/// The state of one attempt: dropped whole when the attempt fails.
struct Attempt {
  FileDescriptor fd;
  TemporaryName name;
  Card card{};
  HostArenas arenas;
};

void create_own(Attempt& attempt, const Settings& settings, bool as_file) {
  const std::size_t bytes = attempt.arenas.layout.total_bytes();
  if (as_file) {
    const std::string directory = settings.shm_dir.empty() ? kDefaultDirectory : settings.shm_dir;
    attempt.fd = create_file(directory, bytes, attempt.name);
    if (attempt.name.path().size() >= sizeof(attempt.card.path)) {
      throw Error(Status::kConfig, "the path of shm_dir is too long: " + directory);
    }
    std::strncpy(attempt.card.path, attempt.name.path().c_str(), sizeof(attempt.card.path) - 1);
  } else {
    attempt.fd = create_anonymous(bytes);
  }
  Mapping mapping = map_shared(attempt.fd, bytes);
  attempt.card.pid = getpid();
  attempt.card.fd = attempt.fd.get();
  attempt.card.address = reinterpret_cast<std::uint64_t>(mapping.data());
  attempt.card.process = process_nonce();
  attempt.card.nonce = draw_nonce();
  ArenaHeader& header = header_of(mapping.data());
  header.magic = kArenaMagic;
  header.nonce[0] = attempt.card.nonce.half[0];
  header.nonce[1] = attempt.card.nonce.half[1];
  attempt.arenas.mappings.push_back(std::move(mapping));
}

void map_peer(Attempt& attempt, int peer, const Card& card, bool as_file) {
  const std::size_t bytes = attempt.arenas.layout.total_bytes();
  std::byte* base = nullptr;
  if (card.pid == getpid() && card.process == process_nonce()) {
    base = reinterpret_cast<std::byte*>(card.address);
  } else {
    const FileDescriptor fd =
        as_file ? open_file(card.path, bytes) : open_of_process(static_cast<pid_t>(card.pid), card.fd, bytes);
    attempt.arenas.mappings.push_back(map_shared(fd, bytes));
    base = attempt.arenas.mappings.back().data();
  }
  const ArenaHeader& header = header_of(base);
  if (header.magic != kArenaMagic || header.nonce[0] != card.nonce.half[0] ||
      header.nonce[1] != card.nonce.half[1]) {
    throw Error(Status::kUnavailable,
                "the memory mapped for rank " + std::to_string(peer) + " is not that rank's arena");
  }
  attempt.arenas.base[static_cast<std::size_t>(peer)] = base;
}

/// What rank `from` leaves for `to` in its arena: only the two of them can compute it.
std::uint64_t token(const Card& from, const Card& to) {
  return (from.nonce.half[0] * 0x9e3779b97f4a7c15ULL) ^ to.nonce.half[1];
}

std::atomic_ref<std::uint64_t> token_place(const HostArenas& arenas, int owner, int source) {
  std::byte* arena = arenas.base[static_cast<std::size_t>(owner)];
  return std::atomic_ref<std::uint64_t>(
      *reinterpret_cast<std::uint64_t*>(arena + arenas.layout.region_offset(0, Ring::kScatter, 0, source)));
}

Agreement attempt_road(Bootstrap& bootstrap, const Settings& settings, bool as_file, HostArenas& result) {
  Attempt attempt;
  const int world = bootstrap.size();
  const int rank = bootstrap.rank();
  Agreement agreement = step(bootstrap, [&] {
    attempt.arenas.layout = host_layout(world, settings);
    create_own(attempt, settings, as_file);
  });
  if (!agreement.ok()) return agreement;

  Attempt decoy;
  if (fault_names("wrong_arena", rank)) {
    decoy.arenas.layout = attempt.arenas.layout;
    create_own(decoy, settings, as_file);
    attempt.card.fd = decoy.card.fd;
    std::memcpy(attempt.card.path, decoy.card.path, sizeof(attempt.card.path));
  }
  const std::vector<Card> cards = gather_all(bootstrap, attempt.card);
  attempt.arenas.base.resize(static_cast<std::size_t>(world));
  agreement = step(bootstrap, [&] {
    for (int peer = 0; peer < world; ++peer)
      map_peer(attempt, peer, cards[static_cast<std::size_t>(peer)], as_file);
    // The way back: what each rank wrote into this arena must arrive in it.
    for (int peer = 0; peer < world; ++peer) {
      token_place(attempt.arenas, peer, rank)
          .store(token(attempt.card, cards[static_cast<std::size_t>(peer)]), std::memory_order_release);
    }
  });
  attempt.name = TemporaryName();  // all ranks have it open, or nobody will use it
  if (!agreement.ok()) return agreement;
  agreement = step(bootstrap, [&] {
    for (int peer = 0; peer < world; ++peer) {
      auto place = token_place(attempt.arenas, rank, peer);
      if (place.load(std::memory_order_acquire) !=
          token(cards[static_cast<std::size_t>(peer)], attempt.card)) {
        throw Error(Status::kUnavailable,
                    "what rank " + std::to_string(peer) + " wrote did not arrive in this rank's arena");
      }
      place.store(0, std::memory_order_relaxed);
    }
  });
  if (!agreement.ok()) return agreement;
  attempt.arenas.road = as_file
                            ? "files in " + (settings.shm_dir.empty() ? kDefaultDirectory : settings.shm_dir)
                            : "anonymous memory";
  result = std::move(attempt.arenas);
  return agreement;
}

}  // namespace

ArenaLayout host_layout(int world, const Settings& settings) {
  ArenaLayout layout;
  layout.world = world;
  layout.blocks = 1;
  const auto regions = std::size_t{kRings} * kRounds * static_cast<std::size_t>(world);
  const auto budget = static_cast<std::size_t>(settings.arena_bytes);
  const std::size_t control = layout.regions_offset();
  const std::size_t share = budget > control ? (budget - control) / regions : 0;
  const std::size_t wanted = std::clamp(kComfortableTotal / regions, kSmallRegion, kLargestRegion);
  layout.region_bytes = std::min(share, wanted) / kPage * kPage;
  if (layout.region_bytes < kSmallestRegion) {
    throw Error(Status::kUnavailable,
                "arena_bytes=" + std::to_string(settings.arena_bytes) + " is too little for " +
                    std::to_string(world) + " ranks: at least " +
                    std::to_string(control + regions * kSmallestRegion) + " are needed");
  }
  return layout;
}

Agreement make_host_arenas(Bootstrap& bootstrap, const Settings& settings, HostArenas& arenas) {
  if (!settings.shm_dir.empty()) return attempt_road(bootstrap, settings, true, arenas);
  Agreement anonymous = attempt_road(bootstrap, settings, false, arenas);
  if (anonymous.ok()) return anonymous;
  Agreement files = attempt_road(bootstrap, settings, true, arenas);
  if (!files.ok() && files.text != anonymous.text) files.text = anonymous.text + "; " + files.text;
  return files;
}

}  // namespace qr
