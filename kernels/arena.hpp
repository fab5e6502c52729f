// Layout of an arena: the memory of one rank that its peers write into. Fixed when the communicator is set
// up; nothing in it depends on a message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet.hpp"
#include "types.hpp"

namespace qr {

/// Regions a writer goes round in: the data covered by signal e lies in region e mod 4. See protocol.hpp for
/// the proof.
inline constexpr int kRounds = 4;

/// The two inboxes of a block: what is still to be reduced, and what is reduced already.
enum class Ring : std::int32_t { kScatter, kGather };
inline constexpr int kRings = 2;

/// Largest number of ranks that share arenas.
inline constexpr int kMaxWorld = 256;

/// One signal: the epoch in the low half, the hash of the call that posted it in the high half of one 8-byte
/// word.
QR_DEVICE constexpr std::uint64_t signal_word(Epoch epoch, std::uint32_t check) {
  return static_cast<std::uint64_t>(check) << 32 | epoch;
}
QR_DEVICE constexpr Epoch epoch_of_signal(std::uint64_t word) { return static_cast<Epoch>(word); }
QR_DEVICE constexpr std::uint32_t check_of_signal(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// The signals of one source for one block: signal e in word e mod 4.
struct alignas(64) SignalLine {
  std::uint64_t word[kRounds];
};

/// What a call is, in words that its peers can read when a hash differs.
struct CallRecord {
  std::int64_t count;
  std::int32_t type, op, codec, algorithm;
  Epoch epoch;
  std::uint32_t check;
};

/// Who gave up, on whom and why; travels as one 8-byte word, so that it is seen whole or not at all.
struct AbortNote {
  std::uint32_t reason = 0;  // a Verdict, 0 for none
  int rank = -1;
  int about = -1;  // -1: on nobody in particular

  QR_DEVICE constexpr std::uint64_t word() const {
    return static_cast<std::uint64_t>(reason) << 32 | static_cast<std::uint64_t>(rank + 1) << 16 |
           static_cast<std::uint64_t>(about + 1);
  }
  QR_DEVICE static constexpr AbortNote of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<int>(word >> 16 & 0xffff) - 1,
            static_cast<int>(word & 0xffff) - 1};
  }
};

/// Start of every arena. Offsets of the rest are in ArenaLayout.
struct alignas(64) ArenaHeader {
  std::uint64_t magic;         // kArenaMagic, written by the owner
  std::uint64_t nonce[2];      // drawn by the owner, read back by every peer through its own mapping
  std::uint64_t abort_word;    // 0, or an AbortNote in one word; written by who gave up into every arena
  std::uint64_t device_calls;  // host arenas: calls that the owner has made on device memory, outside graphs
  alignas(64) CallRecord calls[kRounds];  // the owner's recent calls, by first epoch mod 4
};
inline constexpr std::uint64_t kArenaMagic = 0x4152454e41315251ULL;  // "QR1ANERA"

struct ArenaLayout {
  int world = 1;
  int blocks = 1;
  std::size_t region_bytes = 0;  // of one block, ring, round and source; a multiple of 4096

  QR_DEVICE std::size_t signal_offset(int block, int source) const {
    return sizeof(ArenaHeader) + (static_cast<std::size_t>(block) * static_cast<std::size_t>(world) +
                                  static_cast<std::size_t>(source)) *
                                     sizeof(SignalLine);
  }
  QR_DEVICE std::size_t regions_offset() const {
    constexpr std::size_t kPage = 4096;
    return (signal_offset(blocks, 0) + kPage - 1) / kPage * kPage;
  }
  QR_DEVICE std::size_t region_offset(int block, Ring ring, Epoch epoch, int source) const {
    const std::size_t index =
        ((static_cast<std::size_t>(block) * kRings + static_cast<std::size_t>(ring)) * kRounds +
         epoch % kRounds) *
            static_cast<std::size_t>(world) +
        static_cast<std::size_t>(source);
    return regions_offset() + index * region_bytes;
  }
  QR_DEVICE std::size_t total_bytes() const { return region_offset(blocks, Ring::kScatter, 0, 0); }
};

}  // namespace qr
