// handshake: one signal to every peer and one from every peer, no data. It finds out whether all ranks make
// the same call.
#pragma once

#include "protocol.hpp"

namespace qr {

template <class Team>
QR_DEVICE Verdict handshake(Team& team) {
  const Epoch epoch = team.epoch() + 1;
  team.signal(epoch);
  if (const Verdict verdict = team.wait(epoch); verdict != Verdict::kOk) return verdict;
  team.commit(epoch);
  return Verdict::kOk;
}

}  // namespace qr
