// exchange, the one-shot all-reduce: every rank pushes its whole encoded vector to every peer and sums all of
// them itself. Called by the back ends' launch code; calls the Team (see protocol.hpp).
#pragma once

#include <cstdint>

#include "protocol.hpp"

namespace qr {

/// One handshake, one quantization. A rank's own values go through its code too, so all ranks add the same
/// numbers in the same order. Tile i + 1 is on its way before tile i is awaited.
template <class Team>
QR_DEVICE Verdict exchange(Team& team) {
  using Tile = decltype(team.tiles());  // 32 bits on a GPU: registers are short here
  const Tile tiles = team.tiles();
  if (tiles == 0) return Verdict::kOk;
  const Epoch first = team.epoch() + 1;
  const auto epoch_of = [first](Tile tile) { return first + static_cast<Epoch>(tile); };

  typename Team::Held current = team.hold(0);
  typename Team::Held next = team.hold(1);
  const auto send = [&](Tile tile, typename Team::Held& held) {
    team.for_packets(tile, [&](int slot, std::int64_t packet) {
      team.encode(held, slot, packet);
      // Each rank starts with its right neighbour, so that no inbox gets all ranks' packets at once.
      QR_ROLLED
      for (int step = 1; step < team.world(); ++step) {
        const int peer = (team.rank() + step) % team.world();
        team.push(held, slot, packet, peer, Ring::kScatter, epoch_of(tile));
      }
    });
    team.signal(epoch_of(tile));
    team.for_packets(tile + 1, [&](int, std::int64_t packet) { team.prefetch(packet); });
  };

  // Begins one tile early with sending only, so that each step's code is there once: it must fit the
  // instruction cache.
  QR_ROLLED
  for (Tile tile = -1; tile < tiles; ++tile) {
    if (tile + 1 < tiles) send(tile + 1, next);
    if (tile >= 0) {
      if (const Verdict verdict = team.wait(epoch_of(tile)); verdict != Verdict::kOk) return verdict;
      if (tile + 1 == tiles) team.last_wait_over();
      team.for_packets(
          tile, [&](int slot, std::int64_t packet) { team.sum(current, slot, packet, epoch_of(tile)); });
    }
    const typename Team::Held done = current;
    current = next;
    next = done;
  }
  team.commit(epoch_of(tiles - 1));
  return Verdict::kOk;
}

}  // namespace qr
