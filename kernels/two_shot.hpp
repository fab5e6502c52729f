// two_shot: packet k belongs to rank k mod n. Its owner adds what all ranks push to it, encodes the sum once
// and pushes the same bytes to everybody. Called by the back ends' launch code; calls the Team (see
// protocol.hpp).
#pragma once

#include <cstdint>

#include "protocol.hpp"

namespace qr {

/// Pipelined, one signal a step: signal first + i says that scatter data of tile i and gather data of tile i
/// - 1 are there. The owner's own values stay exact; all ranks, the owner included, end with the decoded
/// packet, so bits agree.
template <class Team>
QR_DEVICE Verdict two_shot(Team& team) {
  const std::int64_t tiles = team.tiles();
  if (tiles == 0) return Verdict::kOk;
  const Epoch first = team.epoch() + 1;
  const auto epoch_of = [first](std::int64_t step) { return first + static_cast<Epoch>(step); };

  typename Team::Held outgoing = team.hold(0);
  typename Team::Held reduced = team.hold(1);
  const auto scatter = [&](std::int64_t tile) {
    // Rotated destinations: at any moment each rank writes to another one.
    QR_ROLLED
    for (int step = 1; step < team.world(); ++step) {
      const int owner = (team.rank() + step) % team.world();
      team.for_packets(tile, owner, [&](int slot, std::int64_t packet) {
        team.encode(outgoing, slot, packet);
        team.push(outgoing, slot, packet, owner, Ring::kScatter, epoch_of(tile));
      });
    }
  };
  // The owner's packets of this tile, which it still holds, and the others' of the tile before: one loop, so
  // that the code that decodes is there once.
  const auto complete = [&](std::int64_t tile) {
    QR_ROLLED
    for (int step = 0; step < team.world(); ++step) {
      const std::int64_t whose = step == 0 ? tile : tile - 1;
      if (whose < 0 || whose >= tiles) continue;
      const int owner = (team.rank() + step) % team.world();
      team.for_packets(whose, owner, [&](int slot, std::int64_t packet) {
        team.complete(reduced, slot, packet, owner, epoch_of(tile));
      });
    }
  };

  // Begins one step early and ends one late, so that each part's code is there once: it must fit the
  // instruction cache.
  QR_ROLLED
  for (std::int64_t tile = -1; tile <= tiles; ++tile) {
    const bool reducing = tile >= 0 && tile < tiles;
    if (tile + 1 < tiles) scatter(tile + 1);
    // On their way while this team waits.
    if (reducing)
      team.for_packets(tile, team.rank(), [&](int, std::int64_t packet) { team.prefetch(packet); });
    if (tile >= 0) {
      if (const Verdict verdict = team.wait(epoch_of(tile)); verdict != Verdict::kOk) return verdict;
      if (tile == tiles) team.last_wait_over();
    }
    if (reducing) {
      team.for_packets(tile, team.rank(), [&](int slot, std::int64_t packet) {
        team.reduce(reduced, slot, packet, epoch_of(tile));
        QR_ROLLED
        for (int step = 1; step < team.world(); ++step) {
          const int peer = (team.rank() + step) % team.world();
          team.push(reduced, slot, packet, peer, Ring::kGather, epoch_of(tile + 1));
        }
      });
    }
    if (tile < tiles) team.signal(epoch_of(tile + 1));
    complete(tile);
  }
  team.commit(epoch_of(tiles));
  return Verdict::kOk;
}

}  // namespace qr
