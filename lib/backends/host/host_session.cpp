// The host back end: sessions over shared memory, one thread a rank. make_host_session() is the way in.
#include <algorithm>
#include <atomic>

#include "kernels/exchange.hpp"
#include "kernels/handshake.hpp"
#include "kernels/two_shot.hpp"
#include "lib/backend.hpp"
#include "lib/backends/host/host_team.hpp"

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
    HostTeam team(state_, work, *packet_ops(0, DataType::kFloat32, ReduceOp::kSum));
    Outcome outcome = conduct(team, work, [&] { return qr::handshake(team); });
    // Whoever comes too late finds all signals there, but peers that have given up. MPI, which is next, would
    // wait for them for ever.
    const AbortNote note = abort_note();
    if (outcome.verdict == Verdict::kOk && note.reason != 0) {
      outcome = {.verdict = Verdict::kAbort, .peer = note.rank, .about = note.about};
    }
    return outcome;
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
    const Epoch first = state_.epoch + 1;
    if (work.record.check != 0) {
      CallRecord& record = own_header().calls[first % kRounds];
      record = work.record;
      record.epoch = first;
    }
    if (algorithm() == Verdict::kOk) return {};
    Outcome outcome = team.outcome();
    if (outcome.verdict == Verdict::kMismatch) settle(outcome, work, first);
    return outcome;
  }

  /// After a mismatch: all ranks saw it in their first wait of the call, so all come here. Reads what the
  /// peer called, then meets all peers at an epoch that none of the calls used, and leaves the rings as free
  /// as a finished call does.
  void settle(Outcome& outcome, const Work& work, Epoch first) {
    std::byte* peer = state_.arenas.base[static_cast<std::size_t>(outcome.peer)];
    outcome.theirs = reinterpret_cast<ArenaHeader*>(peer)->calls[first % kRounds];
    // The calls posted first and perhaps first + 1; the word of first + 2 is untouched.
    state_.epoch = first + 1;
    Work meeting = work;
    meeting.record.check = 0;
    HostTeam team(state_, meeting, *packet_ops(0, DataType::kFloat32, ReduceOp::kSum));
    if (qr::handshake(team) != Verdict::kOk) outcome = team.outcome();
    state_.epoch = first + 3;
  }

  [[nodiscard]] ArenaHeader& own_header() const {
    return *reinterpret_cast<ArenaHeader*>(state_.arenas.base[static_cast<std::size_t>(state_.rank)]);
  }

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
