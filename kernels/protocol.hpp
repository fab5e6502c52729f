// The rule that keeps ranks out of each other's memory, and the shape of a team: the threads of one block of
// one rank.
//
// Every block of every rank posts signals to the same block of its peers, numbered by epochs that never
// restart. What a signal e covers was written, before it, into region e mod 4 of a ring. Two habits hold in
// every algorithm:
//
//   (W) a rank writes data for signal e to a peer only after it has seen the peer's signal e - 2;
//   (R) a rank has finished reading data of signal e, and the signal word itself, before it posts its own
//   signal e + 2.
//
// Then region e mod 4 is free when it is written again for e + 4: by (W) the writer has seen the peer's
// signal e + 2, which by (R) the peer posted after it was done with e. Nothing else is needed: not the size
// of the message, not the codec, not which algorithm ran before. So calls of any kind follow each other
// without a barrier, on one ring. tests/unit/protocol_test explores every interleaving for 2 and 3 ranks, and
// finds the fault when 4 becomes 3.
//
// Where (W) and (R) come from: exchange.hpp sends e before it waits for e - 1, so after e - 2 was seen, and
// reads e before it sends e + 2. two_shot.hpp covers scatter data of tile i by signal f + i and gather data
// of tile i by f + i + 1; it sends the scatter data after waiting for f + i - 2, the gather data after f + i;
// it reads scatter data before it posts the very next signal and gather data before the next but one. A call
// ends only when all it was sent has been read.
//
// A call that a rank refuses by its own arguments takes one signal of that rank, f, where the others begin
// it, with a check that no call has. They leave in their first wait, and meet at f + 2 without that rank: by
// its f it says that it has read all before f and reads nothing up to f + 3. It may not post f + 2 itself
// before it has seen their f, for they may still be at f - 2, whose word that is. So it does that before its
// next call, which then finds (W) kept: it waits for their f, posts f + 2 and waits for their f + 2.
// protocol_test explores that too.
//
// A third way to travel, for short messages on GPUs, is in platform/gpu_flagged.hpp: it posts the same
// signals.
#pragma once

#include <cstdint>

#include "arena.hpp"

namespace qr {

/// Why a team left an algorithm.
enum class Verdict : std::uint32_t {
  kOk = 0,
  kTimeout,   // a peer's signal did not come in time
  kAbort,     // a peer gave up and said so
  kMismatch,  // a peer's call is not this call
  kElsewhere  // host only: a peer has gone on to a call on device memory without making this call
};

// A Team is what the algorithms are templates over. It stands for one block: on the host one thread, on a GPU
// a work-group whose warps each take one packet of a tile. The same calls are made by all its threads.
//
// clang-format off
//   int rank(), world()
//   int64_t tiles()                   tiles this block runs
//   Epoch epoch()                     last signal posted; commit(e) keeps it for the next call
//   Held, Held hold(k)                encoded packets of one tile, one a slot (registers on a GPU, a buffer on the host);
//                                     the k-th of them, k = 0, 1
//   for_packets(tile, owner, f)       f(slot, packet) for each existing packet of the tile that belongs to `owner`,
//   for_packets(tile, f)              or for all packets of an undivided tile
//   prefetch(packet)                  the user's values of that packet will soon be asked for
//   encode(held, slot, packet)        the user's values of that packet
//   push(held, slot, packet, peer, ring, epoch)  into the peer's region
//   sum(held, slot, packet, epoch)    all ranks' packets, own one from `held`, to the user's result
//   reduce(held, slot, packet, epoch) own values and the peers' packets, encoded into `held`
//   complete(held, slot, packet, owner, epoch)   a reduced packet, decoded, to the user's result: the own one is in
//                                     `held`, another owner's in the gather ring; it may take the place of what `held` holds
//   signal(epoch)                     release: all that this team pushed before is visible to whoever sees the signal
//   Verdict wait(epoch)               acquire: until all peers' signals `epoch` are there, or the deadline, or an abort
//   last_wait_over()                  this call waits for nobody any more: the next one may be made ready
// clang-format on

}  // namespace qr
