// Explores every interleaving of the ranks' programs and looks for a state in which shared memory is not what
// it must be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/protocol_recorder.hpp"

namespace qr::test {

/// A state is the vector of the ranks' counters: how many events each has completed. That is all there is,
/// since each region and each signal word has a single writer. A rank is in the middle of the event its
/// counter points to, whatever the others do meanwhile; so a long read or a slow store needs no states of its
/// own.
///
/// What counts as an error:
///   - a rank is at a read of data of epoch e, and the signal that followed the push of that data is not
///   posted yet (the
///     data may still be on its way), or the push of later data into the same region is done or may have
///     begun;
///   - a rank is at a wait for signal e, and the word holds a later signal already: its check is lost;
///   - no rank can go on, and not all are at their end.
class Explorer {
 public:
  struct Result {
    std::uint64_t states = 0;
    std::string fault;  // empty: none
  };

  Explorer(std::vector<Program> programs, Epoch rounds) : programs_(std::move(programs)), rounds_(rounds) {
    const int world = static_cast<int>(programs_.size());
    demands_.resize(programs_.size());
    for (int rank = 0; rank < world; ++rank) {
      for (const Event& event : program(rank)) demands_[index(rank)].push_back(demands_of(rank, event));
    }
  }

  /// Breadth first. Each step adds one to the sum of the counters, so a state can only be met again within
  /// its own level, and the visited set need not be larger than that.
  Result explore() const {
    Result result;
    std::vector<State> level = {0};
    std::vector<State> next;
    while (!level.empty()) {
      next.clear();
      for (const State state : level) {
        ++result.states;
        result.fault = visit(state, next);
        if (!result.fault.empty()) return result;
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      level.swap(next);
    }
    return result;
  }

 private:
  using State = std::uint64_t;  // 16 bits a rank
  static constexpr int kNeverReached = std::numeric_limits<int>::max();

  /// While a rank is at its event, `peer` must have completed at least `least` and at most `most` events.
  struct Demand {
    int peer;
    int least;
    int most;
  };

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  static int counter(State state, int rank) { return static_cast<int>(state >> (16 * rank) & 0xffff); }
  [[nodiscard]] const Program& program(int rank) const { return programs_[index(rank)]; }
  [[nodiscard]] const Event& event(int rank, int at) const {
    return program(rank)[static_cast<std::size_t>(at)];
  }
  [[nodiscard]] int length(int rank) const { return static_cast<int>(program(rank).size()); }

  /// Adds what follows `state` to `next`; returns the fault of the state, if it has one.
  std::string visit(State state, std::vector<State>& next) const {
    bool moved = false;
    bool finished = true;
    for (int rank = 0; rank < static_cast<int>(programs_.size()); ++rank) {
      const int at = counter(state, rank);
      if (at == length(rank)) continue;
      finished = false;
      const Event::Kind kind = event(rank, at).kind;
      const bool wait = kind == Event::Kind::kWait || kind == Event::Kind::kPass;
      bool blocked = false;
      for (const Demand& demand : demands_[index(rank)][static_cast<std::size_t>(at)]) {
        const int done = counter(state, demand.peer);
        if (done > demand.most) return sentence(state, rank, demand.peer, "overwritten by");
        if (done >= demand.least) continue;
        if (!wait) return sentence(state, rank, demand.peer, "too early for");
        blocked = true;
      }
      if (blocked) continue;
      moved = true;
      next.push_back(state + (State{1} << (16 * rank)));
    }
    return moved || finished ? std::string{} : sentence(state, -1, -1, "deadlock of");
  }

  [[nodiscard]] std::string sentence(State state, int rank, int peer, const char* what) const {
    std::string text;
    if (rank >= 0) {
      text = "rank " + std::to_string(rank) + "'s " + text_of(event(rank, counter(state, rank))) + " is ";
    }
    text += what;
    for (int other = 0; other < static_cast<int>(programs_.size()); ++other) {
      if (peer >= 0 && other != peer) continue;
      const int at = counter(state, other);
      text += " rank " + std::to_string(other) + " at event " + std::to_string(at) +
              (at < length(other) ? ", " + text_of(event(other, at)) : ", its end");
    }
    return text;
  }

  [[nodiscard]] std::vector<Demand> demands_of(int rank, const Event& event) const {
    std::vector<Demand> demands;
    if (event.kind == Event::Kind::kRead) {
      demands.push_back(demand_of(event.peer, Event::Kind::kPush, rank, event));
    } else if (event.kind == Event::Kind::kWait || event.kind == Event::Kind::kPass) {
      for (int peer = 0; peer < static_cast<int>(programs_.size()); ++peer) {
        if (peer == rank || (event.peer != kEverybody && event.peer != peer)) continue;
        demands.push_back(demand_of(peer, Event::Kind::kSignal, rank, event));
        if (event.kind == Event::Kind::kPass) demands.back().most = kNeverReached;
      }
    }
    return demands;
  }

  /// When what `peer` writes for `rank`, with the ring and the epoch of `event`, is there and not yet
  /// overwritten.
  [[nodiscard]] Demand demand_of(int peer, Event::Kind kind, int rank, const Event& event) const {
    Demand demand{peer, kNeverReached, kNeverReached};
    bool written = false;
    for (int at = 0; at < length(peer); ++at) {
      const Event& other = this->event(peer, at);
      if (other.peer != rank) continue;
      if (other.kind == kind && other.ring == event.ring && other.epoch % rounds_ == event.epoch % rounds_) {
        if (other.epoch == event.epoch) {
          written = true;
          demand.least = kNeverReached;  // of several packets the last counts
        } else if (written) {
          demand.most = at;
          break;
        }
      }
      const bool published = other.kind == Event::Kind::kSignal;
      if (written && published && demand.least == kNeverReached) demand.least = at + 1;
    }
    return demand;
  }

  std::vector<Program> programs_;
  Epoch rounds_;
  std::vector<std::vector<std::vector<Demand>>> demands_;  // by rank and event
};

}  // namespace qr::test
