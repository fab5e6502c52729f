// The Team's operations on the host: packet functions, copies into the peers' arenas, signals.
#include "lib/backends/host/host_team.hpp"

#include "lib/backends/host/copy.hpp"

namespace qr {

HostTeam::HostTeam(HostState& state, const Work& work, const PacketOps& ops)
    : state_(state),
      ops_(ops),
      send_(static_cast<const std::byte*>(work.send)),
      recv_(static_cast<std::byte*>(work.recv)),
      count_(work.request.count),
      packets_(packets_of(count_)),
      value_stride_(kPacketValues * static_cast<std::int64_t>(element_bytes(work.request.type))),
      world_(state.arenas.layout.world),
      slots_(static_cast<int>(state.arenas.layout.region_bytes / ops.packet_bytes)),
      streams_(count_ * static_cast<std::int64_t>(element_bytes(work.request.type)) >= kStreamFromBytes),
      check_(work.record.check) {
  const std::int64_t rows =
      work.plan.algorithm == Algorithm::kTwoShot ? (packets_ + world_ - 1) / world_ : packets_;
  tiles_ = (rows + slots_ - 1) / slots_;
}

HostTeam::Held HostTeam::hold(int which) {
  const std::size_t region = state_.arenas.layout.region_bytes;
  const auto start = (reinterpret_cast<std::uintptr_t>(state_.storage.data()) + 63) / 64 * 64;
  return {reinterpret_cast<std::byte*>(start) + static_cast<std::size_t>(which) * region,
          state_.views.data() + static_cast<std::size_t>(which) * (state_.views.size() / 2)};
}

std::byte* HostTeam::inbox(int owner, Ring ring, Epoch epoch, int source, int slot) const {
  return state_.arenas.base[static_cast<std::size_t>(owner)] +
         state_.arenas.layout.region_offset(0, ring, epoch, source) +
         static_cast<std::size_t>(slot) * ops_.packet_bytes;
}

void HostTeam::encode(Held& held, int slot, std::int64_t packet) {
  if (ops_.exact) {
    held.views[slot] = input(packet);
    return;
  }
  std::byte* place = held.storage + static_cast<std::size_t>(slot) * ops_.packet_bytes;
  ops_.encode(input(packet), valid(packet), place);
  held.views[slot] = place;
}

void HostTeam::push(const Held& held, int slot, std::int64_t packet, int peer, Ring ring, Epoch epoch) {
  copy_to_inbox(inbox(peer, ring, epoch, rank(), slot), held.views[slot], ops_.used_bytes(valid(packet)));
}

const std::byte** HostTeam::gather_sources(int slot, Ring ring, Epoch epoch) {
  for (int source = 0; source < world_; ++source) {
    state_.sources[static_cast<std::size_t>(source)] = inbox(rank(), ring, epoch, source, slot);
  }
  return state_.sources.data();
}

std::byte* HostTeam::result_place(std::int64_t packet) {
  return streams_ ? state_.decoded.data() : output(packet);
}

void HostTeam::deliver(std::int64_t packet) {
  if (streams_) copy_streaming(output(packet), state_.decoded.data(), value_bytes(packet));
}

void HostTeam::sum(const Held& held, int slot, std::int64_t packet, Epoch epoch) {
  const std::byte** sources = gather_sources(slot, Ring::kScatter, epoch);
  sources[rank()] = held.views[slot];
  ops_.sum(sources, world_, valid(packet), result_place(packet));
  deliver(packet);
}

void HostTeam::reduce(Held& held, int slot, std::int64_t packet, Epoch epoch) {
  const std::byte** sources = gather_sources(slot, Ring::kScatter, epoch);
  std::byte* place = held.storage + static_cast<std::size_t>(slot) * ops_.packet_bytes;
  if (ops_.exact) {
    // The result is the packet. It must stay near until it is pushed: a long one is delivered by complete().
    if (!streams_) place = output(packet);
    ops_.reduce(input(packet), rank(), sources, world_, valid(packet), nullptr, place);
  } else {
    ops_.reduce(input(packet), rank(), sources, world_, valid(packet), place, result_place(packet));
    deliver(packet);
  }
  held.views[slot] = place;
}

void HostTeam::complete(const Held& held, int slot, std::int64_t packet, int owner, Epoch epoch) {
  if (owner == rank()) {
    if (ops_.exact && streams_) copy_streaming(output(packet), held.views[slot], value_bytes(packet));
    return;
  }
  const std::byte* place = inbox(rank(), Ring::kGather, epoch, owner, slot);
  if (ops_.exact && streams_) return copy_streaming(output(packet), place, value_bytes(packet));
  ops_.decode(place, valid(packet), result_place(packet));
  deliver(packet);
}

std::atomic_ref<std::uint64_t> HostTeam::signal_place(int owner, int source, Epoch epoch) const {
  std::byte* arena = state_.arenas.base[static_cast<std::size_t>(owner)];
  auto& line = *reinterpret_cast<SignalLine*>(arena + state_.arenas.layout.signal_offset(0, source));
  return std::atomic_ref<std::uint64_t>(line.word[epoch % kRounds]);
}

void HostTeam::commit(Epoch epoch) {
  if (streams_) stream_fence();  // another thread of the caller may read the result next
  state_.epoch = epoch;
}

void HostTeam::signal(Epoch epoch) {
  const std::uint64_t word = signal_word(epoch, check_);
  for (int step = 1; step < world_; ++step) {
    const int peer = (rank() + step) % world_;
    // Pairs with the acquire load in the peer's wait(): what was pushed before is visible to it.
    signal_place(peer, rank(), epoch).store(word, std::memory_order_release);
  }
}

Verdict HostTeam::wait_for(int peer, Epoch epoch) {
  const auto place = signal_place(rank(), peer, epoch);
  std::uint64_t seen =
      place.load(std::memory_order_acquire);  // pairs with the release in the peer's signal()
  for (int spin = 0; spin < state_.policy.spins && !not_before(epoch_of_signal(seen), epoch); ++spin) {
    relax_cpu();
    seen = place.load(std::memory_order_acquire);
  }
  if (!not_before(epoch_of_signal(seen), epoch)) {
    if (const Verdict verdict = wait_long(peer, epoch, seen); verdict != Verdict::kOk) return verdict;
  }
  if (check_of_signal(seen) != check_ && outcome_.verdict == Verdict::kOk) {
    outcome_ = {
        .verdict = Verdict::kMismatch, .peer = peer, .expected = epoch, .seen = epoch_of_signal(seen)};
  }
  return Verdict::kOk;
}

Verdict HostTeam::wait(Epoch epoch) {
  for (int step = 1; step < world_; ++step) {
    const Verdict verdict = wait_for((rank() + step) % world_, epoch);
    if (verdict != Verdict::kOk) return verdict;
  }
  // Not before all peers were seen: one that is still in the call before would lose a signal word to what
  // follows.
  return outcome_.verdict;
}

/// True when `peer` has made a call on device memory that this rank has not come to. Calls have one order on
/// all ranks, so the peer's signals of this call were written before, or never will be.
bool HostTeam::has_passed(int peer) const {
  if (!state_.counts_device_calls) return false;
  auto& header = *reinterpret_cast<ArenaHeader*>(state_.arenas.base[static_cast<std::size_t>(peer)]);
  // Pairs with the release in HostSession::note_device_call.
  return std::atomic_ref<std::uint64_t>(header.device_calls).load(std::memory_order_acquire) >
         state_.device_calls;
}

Verdict HostTeam::wait_long(int peer, Epoch epoch, std::uint64_t& seen) {
  const auto place = signal_place(rank(), peer, epoch);
  auto& own = *reinterpret_cast<ArenaHeader*>(state_.arenas.base[static_cast<std::size_t>(rank())]);
  const std::atomic_ref<std::uint64_t> abort_word(own.abort_word);
  Patience patience(state_.policy);
  for (;;) {
    const bool more_time = patience.pause();
    const bool passed = has_passed(peer);          // before the signal is read
    seen = place.load(std::memory_order_acquire);  // pairs with the release in the peer's signal()
    if (not_before(epoch_of_signal(seen), epoch)) return Verdict::kOk;
    const AbortNote note =
        AbortNote::of(abort_word.load(std::memory_order_acquire));  // pairs with HostSession::abort
    if (note.reason != 0) {
      outcome_ = {.verdict = Verdict::kAbort,
                  .peer = note.rank,
                  .about = note.about,
                  .expected = epoch,
                  .seen = epoch_of_signal(seen)};
      return outcome_.verdict;
    }
    if (passed || !more_time) {
      outcome_ = {.verdict = passed ? Verdict::kElsewhere : Verdict::kTimeout,
                  .peer = peer,
                  .expected = epoch,
                  .seen = epoch_of_signal(seen)};
      return outcome_.verdict;
    }
  }
}

}  // namespace qr
