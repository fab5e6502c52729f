// The host back end: sessions over shared memory, one thread a rank. make_host_session() is the way in.
#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/exchange.hpp"
#include "kernels/handshake.hpp"
#include "kernels/two_shot.hpp"
#include "lib/backend.hpp"
#include "lib/backends/host/host_team.hpp"
#include "lib/call_record.hpp"

namespace qr {

namespace {

constexpr std::size_t kSmallestPacket = 256;  // more slots than any codec's packets can fill a region with

class HostSession final : public Session {
 public:
  HostSession(HostArenas arenas, int rank, const WaitPolicy& policy) {
    state_.arenas = std::move(arenas);
    state_.policy = policy;
    state_.rank = rank;
    const std::size_t region = state_.arenas.layout.region_bytes;
    state_.storage.resize(2 * region + 64);
    state_.decoded.resize(kPacketValues * sizeof(double));
    state_.views.resize(2 * (region / kSmallestPacket));
    state_.sources.resize(static_cast<std::size_t>(state_.arenas.layout.world));
  }

  Outcome run(const Work& work) override {
    const PacketOps* ops = packet_ops(work.plan.codec, work.request.type, work.request.op);
    HostTeam team(state_, work, *ops);
    return conduct(team, work, [&] {
      return work.plan.algorithm == Algorithm::kExchange ? exchange(team) : two_shot(team);
    });
  }

  Outcome handshake(const Work& work) override {
    HostTeam team = team_without_data(work);
    return conduct(team, work, [&] { return qr::handshake(team); });
  }

  Outcome refuse(const CallRecord& record) override {
    if (const Outcome late = catch_up(); late.verdict != Verdict::kOk) return late;
    Work refusal;
    refusal.record = record;
    publish(record, state_.epoch + 1);
    team_without_data(refusal).signal(++state_.epoch);
    state_.refused = true;
    return {};
  }

  void abort(Verdict reason, int about) override {
    const AbortNote note{static_cast<std::uint32_t>(reason), state_.rank, about};
    for (std::byte* arena : state_.arenas.base) {
      auto& header = *reinterpret_cast<ArenaHeader*>(arena);
      std::uint64_t none = 0;  // the first to give up is the one that is reported
      // Pairs with the acquire load in HostTeam::wait_long.
      std::atomic_ref<std::uint64_t>(header.abort_word)
          .compare_exchange_strong(none, note.word(), std::memory_order_release, std::memory_order_relaxed);
    }
  }

  void note_device_call(bool captured) override {
    if (captured) state_.counts_device_calls = false;
    if (captured) return;
    // Pairs with the acquire load in HostTeam::has_passed: signals of earlier calls were written before.
    std::atomic_ref<std::uint64_t>(own_header().device_calls)
        .store(++state_.device_calls, std::memory_order_release);
  }

  [[nodiscard]] AbortNote abort_note() const override {
    const std::atomic_ref<std::uint64_t> abort_word(own_header().abort_word);
    return AbortNote::of(abort_word.load(std::memory_order_acquire));
  }

  [[nodiscard]] const ArenaLayout& layout() const override { return state_.arenas.layout; }
  [[nodiscard]] std::string describe() const override {
    return "host memory, " + state_.arenas.road + ", " + std::to_string(layout().total_bytes() >> 10) +
           " KiB a rank";
  }

 private:
  template <class Algorithm>
  Outcome conduct(const HostTeam& team, const Work& work, const Algorithm& algorithm) {
    if (state_.refused) [[unlikely]] {
      if (const Outcome late = catch_up(); late.verdict != Verdict::kOk) return late;
    }
    const Epoch first = state_.epoch + 1;
    if (work.record.check != 0) publish(work.record, first);
    if (algorithm() == Verdict::kOk) {
      const AbortNote note = abort_note();
      if (note.reason == 0) [[likely]]
        return {};
      // Whoever comes too late finds all signals there, but peers that have given up. They have no result,
      // and MPI, which may be next, would wait for them for ever. One that has begun another call gave up in
      // that.
      if (team.has_signalled(note.rank, state_.epoch + 1)) return {};
      return {.verdict = Verdict::kAbort, .peer = note.rank, .about = note.about};
    }
    Outcome outcome = team.outcome();
    if (outcome.verdict == Verdict::kMismatch) settle(outcome, first);
    return outcome;
  }

  /// After a mismatch: all ranks that make a call saw it in their first wait, so all come here. Reads what
  /// the peer called, then meets them at an epoch that none of the calls used, and leaves the rings as free
  /// as a finished call does. Those that refused the call are named first and not waited for (protocol.hpp).
  void settle(Outcome& outcome, Epoch first) {
    HostTeam team = team_without_data({});
    std::vector<int> present;
    int refused = -1;
    for_peers([&](int peer) {
      const CallRecord& record = header_of(peer).calls[first % kRounds];
      const bool refuses =
          is_refusal(record) && record.epoch == first && record.check == team.check_from(peer, first);
      if (!refuses) present.push_back(peer);
      if (refuses && refused < 0) refused = peer;
    });
    if (refused >= 0) outcome.peer = refused;
    outcome.theirs = header_of(outcome.peer).calls[first % kRounds];
    // The calls posted first and perhaps first + 1; the word of first + 2 is untouched.
    team.signal(first + 2);
    for (const int peer : present) {
      if (team.wait_for(peer, first + 2) == Verdict::kOk) continue;
      outcome = team.outcome();
      break;
    }
    state_.epoch = first + 3;
  }

  /// Behind a call that this rank refused, before the next one: the peers have come to it, one way or the
  /// other, and then left it.
  Outcome catch_up() {
    if (!state_.refused) return {};
    const Epoch first = state_.epoch;
    HostTeam team = team_without_data({});
    const auto see_all = [&](Epoch epoch) {
      bool all = true;
      for_peers([&](int peer) { all = all && team.wait_for(peer, epoch) == Verdict::kOk; });
      return all;
    };
    // What they called does not matter here, and some may have called again already.
    if (!see_all(first)) return team.outcome();
    team.signal(first + 2);
    if (!see_all(first + 2)) return team.outcome();
    state_.epoch = first + 3;
    state_.refused = false;
    return {};
  }

  /// For signals only; posts them with the record's check.
  HostTeam team_without_data(const Work& work) {
    return {state_, work, *packet_ops(0, DataType::kFloat32, ReduceOp::kSum)};
  }

  /// Lets peers read what this rank calls, once they have seen its signal.
  void publish(const CallRecord& call, Epoch epoch) {
    CallRecord& record = own_header().calls[epoch % kRounds];
    record = call;
    record.epoch = epoch;
  }

  template <class Visit>
  void for_peers(const Visit& visit) const {
    const int world = state_.arenas.layout.world;
    for (int step = 1; step < world; ++step) visit((state_.rank + step) % world);
  }

  [[nodiscard]] ArenaHeader& header_of(int rank) const {
    return *reinterpret_cast<ArenaHeader*>(state_.arenas.base[static_cast<std::size_t>(rank)]);
  }
  [[nodiscard]] ArenaHeader& own_header() const { return header_of(state_.rank); }

  HostState state_;
};

}  // namespace

SessionResult make_host_session(Bootstrap& bootstrap, const Settings& settings) {
  SessionResult result;
  Vote vote;
  if (!bootstrap.same_node()) {
    vote = {Status::kUnavailable, "ranks of several nodes"};
  } else if (bootstrap.size() > kMaxWorld) {
    vote = {Status::kUnavailable, "more than " + std::to_string(kMaxWorld) + " ranks"};
  }
  result.why = agree(bootstrap, vote);
  if (!result.why.ok()) return result;
  HostArenas arenas;
  result.why = make_host_arenas(bootstrap, settings, arenas);
  if (!result.why.ok()) return result;
  const WaitPolicy policy =
      make_wait_policy(bootstrap.size(), std::chrono::milliseconds(settings.timeout_ms), &bootstrap);
  result.session = std::make_unique<HostSession>(std::move(arenas), bootstrap.rank(), policy);
  return result;
}

}  // namespace qr
