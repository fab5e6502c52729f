// RecordingTeam: a Team of kernels/protocol.hpp that moves no data, and writes down what the real algorithms
// do to the memory that ranks share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/exchange.hpp"
#include "kernels/handshake.hpp"
#include "kernels/two_shot.hpp"

namespace qr::test {

/// One thing that a rank does to shared memory.
struct Event {
  enum class Kind { kPush, kRead, kSignal, kWait, kPass };  // kPass: a wait that looks at no check
  Kind kind;
  int peer;  // whom it goes to or comes from; waits: kEverybody, or the one peer that is waited for
  Ring ring;
  Epoch epoch;
};
inline constexpr int kEverybody = -1;

inline std::string text_of(const Event& event) {
  constexpr const char* kNames[] = {"push", "read", "signal", "wait", "pass"};
  return std::string(kNames[static_cast<int>(event.kind)]) + "(peer " + std::to_string(event.peer) +
         ", ring " + std::to_string(static_cast<int>(event.ring)) + ", epoch " + std::to_string(event.epoch) +
         ")";
}

/// What one rank does, in order.
using Program = std::vector<Event>;

/// One call. `kind` kMpi stands for the handshake before a fallback.
struct Call {
  Algorithm kind = Algorithm::kMpi;
  int tiles = 1;
  int slots = 1;  // packets of a tile, for each owner
  int tail_owners =
      0;  // > 0: the last tile of a two_shot is short, and only these first ranks own a packet of it
  bool operator==(const Call&) const = default;
};

inline std::string text_of(const std::vector<Call>& calls) {
  std::string text;
  for (const Call& call : calls)
    text += std::string(name_of(call.kind)) + " of " + std::to_string(call.tiles) + " tiles; ";
  return text;
}

class RecordingTeam {
 public:
  static constexpr int kSlots = 4;
  /// Which packet each slot holds.
  using Held = std::array<std::int64_t, kSlots>;

  RecordingTeam(int rank, int world, Epoch start) : rank_(rank), world_(world), epoch_(start) {}

  /// Runs a call to its end.
  void run(const Call& call) {
    catch_up();
    call_ = call;
    conduct();
  }
  /// Says that this rank makes no call where its peers may make one, and waits for nobody.
  void refuse() {
    catch_up();
    epoch_ += 1;
    signal(epoch_);
    refused_ = true;
  }
  /// Runs a call that the check ends in its first wait, then meets the peers as the back ends do after a
  /// mismatch. `seen` is how many peers, in turn, that wait looks at before it leaves. Those that refused are
  /// not met.
  void run_mismatch(const Call& call, int seen, const std::vector<bool>& refused) {
    catch_up();
    call_ = call;
    looks_at_ = seen;
    const Epoch first = epoch_ + 1;
    conduct();
    looks_at_ = 0;
    signal(first + 2);
    for_peers([&](int peer) {
      if (!refused[static_cast<std::size_t>(peer)]) wait_for(peer, Event::Kind::kWait, first + 2);
    });
    epoch_ = first + 3;
  }

  [[nodiscard]] const Program& program() const { return program_; }
  /// False if an algorithm pushed or summed a packet that its Held did not hold.
  [[nodiscard]] bool sound() const { return sound_; }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int world() const { return world_; }
  [[nodiscard]] std::int64_t tiles() const { return call_.tiles; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  void commit(Epoch epoch) { epoch_ = epoch; }
  [[nodiscard]] Held hold(int) const { return {-1, -1, -1, -1}; }

  template <class Visit>
  void for_packets(std::int64_t tile, int owner, const Visit& visit) const {
    const bool tail = tile == call_.tiles - 1 && call_.tail_owners > 0;
    if (tail && owner >= call_.tail_owners) return;
    for (int slot = 0; slot < (tail ? 1 : call_.slots); ++slot)
      visit(slot, (tile * call_.slots + slot) * world_ + owner);
  }
  template <class Visit>
  void for_packets(std::int64_t tile, const Visit& visit) const {
    for (int slot = 0; slot < call_.slots; ++slot) visit(slot, tile * call_.slots + slot);
  }

  void prefetch(std::int64_t /*packet*/) const {}
  void encode(Held& held, int slot, std::int64_t packet) const {
    held[static_cast<std::size_t>(slot)] = packet;
  }
  void push(const Held& held, int slot, std::int64_t packet, int peer, Ring ring, Epoch epoch) {
    expect(held, slot, packet);
    program_.push_back({Event::Kind::kPush, peer, ring, epoch});
  }
  void sum(const Held& held, int slot, std::int64_t packet, Epoch epoch) {
    expect(held, slot, packet);
    read_all(epoch);
  }
  void reduce(Held& held, int slot, std::int64_t packet, Epoch epoch) {
    read_all(epoch);
    held[static_cast<std::size_t>(slot)] = packet;
  }
  void complete(const Held& held, int slot, std::int64_t packet, int owner, Epoch epoch) {
    if (owner == rank_) {
      expect(held, slot, packet);
      return;
    }
    program_.push_back({Event::Kind::kRead, owner, Ring::kGather, epoch});
  }
  void signal(Epoch epoch) {
    for (int step = 1; step < world_; ++step) {
      program_.push_back({Event::Kind::kSignal, (rank_ + step) % world_, Ring::kScatter, epoch});
    }
  }
  Verdict wait(Epoch epoch) {
    if (looks_at_ == 0) {
      program_.push_back({Event::Kind::kWait, kEverybody, Ring::kScatter, epoch});
      return Verdict::kOk;
    }
    for (int step = 1; step <= looks_at_; ++step) {
      program_.push_back({Event::Kind::kWait, (rank_ + step) % world_, Ring::kScatter, epoch});
    }
    return Verdict::kMismatch;
  }
  void last_wait_over() const {}

 private:
  void conduct() {
    switch (call_.kind) {
      case Algorithm::kMpi:
        handshake(*this);
        return;
      case Algorithm::kExchange:
        exchange(*this);
        return;
      case Algorithm::kTwoShot:
        two_shot(*this);
        return;
    }
  }
  /// What a refusal left open: the peers come to that call now, and are done with it, before the next begins.
  void catch_up() {
    if (!refused_) return;
    const Epoch first = epoch_;
    for_peers([&](int peer) { wait_for(peer, Event::Kind::kPass, first); });
    signal(first + 2);
    for_peers([&](int peer) { wait_for(peer, Event::Kind::kWait, first + 2); });
    epoch_ = first + 3;
    refused_ = false;
  }
  template <class Visit>
  void for_peers(const Visit& visit) const {
    for (int step = 1; step < world_; ++step) visit((rank_ + step) % world_);
  }
  void wait_for(int peer, Event::Kind kind, Epoch epoch) {
    program_.push_back({kind, peer, Ring::kScatter, epoch});
  }
  void read_all(Epoch epoch) {
    for (int source = 0; source < world_; ++source) {
      if (source != rank_) program_.push_back({Event::Kind::kRead, source, Ring::kScatter, epoch});
    }
  }
  void expect(const Held& held, int slot, std::int64_t packet) {
    sound_ = sound_ && held[static_cast<std::size_t>(slot)] == packet;
  }

  int rank_;
  int world_;
  Epoch epoch_;
  Call call_;
  bool refused_ = false;
  int looks_at_ = 0;  // > 0: the call ends in its first wait, behind so many peers
  bool sound_ = true;
  Program program_;
};

/// All ranks' programs for a sequence of calls that starts after epoch `start`.
inline std::vector<Program> record(int world, const std::vector<Call>& calls, Epoch start = 0) {
  std::vector<Program> programs;
  for (int rank = 0; rank < world; ++rank) {
    RecordingTeam team(rank, world, start);
    for (const Call& call : calls) team.run(call);
    programs.push_back(team.program());
  }
  return programs;
}

/// Programs in which the ranks' second calls differ. Each rank's wait looks at all peers, or leaves at the
/// first that differs.
inline std::vector<Program> record_mismatch(const Call& before, const std::vector<Call>& differing,
                                            const Call& after, bool all) {
  std::vector<Program> programs;
  const int world = static_cast<int>(differing.size());
  for (int rank = 0; rank < world; ++rank) {
    const Call& own = differing[static_cast<std::size_t>(rank)];
    int first = 1;
    while (own == differing[static_cast<std::size_t>((rank + first) % world)]) ++first;
    RecordingTeam team(rank, world, 0);
    team.run(before);
    team.run_mismatch(own, all ? world - 1 : first, std::vector<bool>(differing.size()));
    team.run(after);
    programs.push_back(team.program());
  }
  return programs;
}

/// Programs in which some ranks refuse the calls in the middle, where the others find that out. `refused` has
/// a row of ranks for each of them.
inline std::vector<Program> record_refusals(const Call& before, const Call& during,
                                            const std::vector<std::vector<bool>>& refused,
                                            const Call& after) {
  std::vector<Program> programs;
  const int world = static_cast<int>(refused[0].size());
  for (int rank = 0; rank < world; ++rank) {
    RecordingTeam team(rank, world, 0);
    team.run(before);
    for (const std::vector<bool>& row : refused) {
      if (row[static_cast<std::size_t>(rank)]) {
        team.refuse();
      } else if (std::count(row.begin(), row.end(), true) > 0) {
        team.run_mismatch(during, world - 1, row);
      } else {
        team.run(during);
      }
    }
    team.run(after);
    programs.push_back(team.program());
  }
  return programs;
}

}  // namespace qr::test
