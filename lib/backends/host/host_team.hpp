// HostTeam: the Team of kernels/protocol.hpp for one process, one block, one thread. Made for one call.
#pragma once

#include <atomic>
#include <cstring>
#include <vector>

#include "kernels/packet_ops.hpp"
#include "kernels/protocol.hpp"
#include "lib/backend.hpp"
#include "lib/backends/host/host_arenas.hpp"
#include "lib/backends/host/patience.hpp"

namespace qr {

/// Results of at least so many bytes are written past the caches. Measured with 2 and 8 ranks on a Xeon with
/// 300 MiB of last level: shorter ones, up to 16 MiB, took up to 1.7 times as long that way, longer ones up
/// to a third less.
inline constexpr std::int64_t kStreamFromBytes = 32 << 20;

/// What outlives a call: arenas, the epoch, and room for encoded packets.
struct HostState {
  HostArenas arenas;
  WaitPolicy policy;
  int rank = 0;
  Epoch epoch = 0;
  bool refused = false;                   // the last epoch is that of a call which this rank refused
  std::uint64_t device_calls = 0;         // made by this rank, outside graphs
  bool counts_device_calls = true;        // false once a graph holds one, which may run any number of times
  std::vector<std::byte> storage;         // of two Helds, with room to align
  std::vector<std::byte> decoded;         // values of one packet, on their way past the caches
  std::vector<const std::byte*> views;    // of two Helds, one a slot
  std::vector<const std::byte*> sources;  // one packet a rank, for a reduction
};

class HostTeam {
 public:
  /// Encoded packets of one tile. A packet of raw is the user's memory itself.
  struct Held {
    std::byte* storage;
    const std::byte** views;
  };

  HostTeam(HostState& state, const Work& work, const PacketOps& ops);

  [[nodiscard]] int rank() const { return state_.rank; }
  [[nodiscard]] int world() const { return world_; }
  [[nodiscard]] std::int64_t tiles() const { return tiles_; }
  [[nodiscard]] Epoch epoch() const { return state_.epoch; }
  void commit(Epoch epoch);
  [[nodiscard]] Held hold(int which);
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }

  template <class Visit>
  void for_packets(std::int64_t tile, int owner, const Visit& visit) const {
    for (int slot = 0; slot < slots_; ++slot) {
      const std::int64_t packet = (tile * slots_ + slot) * world_ + owner;
      if (packet >= packets_) return;
      visit(slot, packet);
    }
  }
  template <class Visit>
  void for_packets(std::int64_t tile, const Visit& visit) const {
    for (int slot = 0; slot < slots_; ++slot) {
      const std::int64_t packet = tile * slots_ + slot;
      if (packet >= packets_) return;
      visit(slot, packet);
    }
  }

  void prefetch(std::int64_t /*packet*/) const {}  // the core sees by itself that a vector is read in order
  void encode(Held& held, int slot, std::int64_t packet);
  void push(const Held& held, int slot, std::int64_t packet, int peer, Ring ring, Epoch epoch);
  void sum(const Held& held, int slot, std::int64_t packet, Epoch epoch);
  void reduce(Held& held, int slot, std::int64_t packet, Epoch epoch);
  void complete(const Held& held, int slot, std::int64_t packet, int owner, Epoch epoch);

  void signal(Epoch epoch);
  [[nodiscard]] Verdict wait(Epoch epoch);
  void last_wait_over() const {}  // the next call comes from the caller
  /// Until that peer's signal is there. A check that differs is no reason to leave: it is noted in outcome().
  [[nodiscard]] Verdict wait_for(int peer, Epoch epoch);
  [[nodiscard]] bool has_signalled(int peer, Epoch epoch) const {
    const std::uint64_t word = signal_place(rank(), peer, epoch).load(std::memory_order_acquire);
    return not_before(epoch_of_signal(word), epoch);
  }
  /// The check that came with a signal which wait_for() has seen.
  [[nodiscard]] std::uint32_t check_from(int peer, Epoch epoch) const {
    return check_of_signal(signal_place(rank(), peer, epoch).load(std::memory_order_relaxed));
  }

 private:
  [[nodiscard]] int valid(std::int64_t packet) const { return valid_values(packet, count_); }
  [[nodiscard]] const std::byte* input(std::int64_t packet) const { return send_ + packet * value_stride_; }
  [[nodiscard]] std::byte* output(std::int64_t packet) const { return recv_ + packet * value_stride_; }
  [[nodiscard]] std::size_t value_bytes(std::int64_t packet) const {
    return static_cast<std::size_t>(value_stride_) / kPacketValues * static_cast<std::size_t>(valid(packet));
  }
  /// Where a packet's values are decoded to, and what brings them from there to the user.
  [[nodiscard]] std::byte* result_place(std::int64_t packet);
  void deliver(std::int64_t packet);
  [[nodiscard]] std::byte* inbox(int owner, Ring ring, Epoch epoch, int source, int slot) const;
  [[nodiscard]] std::atomic_ref<std::uint64_t> signal_place(int owner, int source, Epoch epoch) const;
  [[nodiscard]] bool has_passed(int peer) const;
  [[nodiscard]] Verdict wait_long(int peer, Epoch epoch, std::uint64_t& seen);
  [[nodiscard]] const std::byte** gather_sources(int slot, Ring ring, Epoch epoch);

  HostState& state_;
  const PacketOps& ops_;
  const std::byte* send_;
  std::byte* recv_;
  std::int64_t count_;
  std::int64_t packets_;
  std::int64_t value_stride_;  // bytes of a packet's values
  std::int64_t tiles_;
  int world_;
  int slots_;     // packets of one tile for each owner
  bool streams_;  // results go past the caches
  std::uint32_t check_;
  Outcome outcome_;
};

}  // namespace qr
