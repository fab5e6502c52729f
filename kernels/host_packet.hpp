// Layout of a packet on the host: 128 bytes of scale words, then groups of eight blocks, each packed on its
// own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet.hpp"

namespace qr {

/// Blocks that are packed together: row j of a group holds the codes of its block j, 32 bytes, packed by
/// bitpack.hpp.
inline constexpr int kGroupBlocks = 8;
inline constexpr int kGroupValues = kGroupBlocks * kBlockValues;

// Always inline: files compiled for different instruction sets share these, and the linker must not mix their
// copies.

[[gnu::always_inline]] constexpr int blocks_of(int valid) {
  return (valid + kBlockValues - 1) / kBlockValues;
}
[[gnu::always_inline]] constexpr int groups_of(int valid) {
  return (valid + kGroupValues - 1) / kGroupValues;
}
[[gnu::always_inline]] constexpr std::size_t group_bytes(int bits) {
  return static_cast<std::size_t>(bits) * kBlockValues;
}
[[gnu::always_inline]] constexpr std::size_t group_offset(int group, int bits) {
  return kScaleBytes + static_cast<std::size_t>(group) * group_bytes(bits);
}

/// Only whole groups are stored: missing values count as +0. All scale words are written, those of missing
/// blocks as 0.
[[gnu::always_inline]] constexpr std::size_t host_used_bytes(int valid, int bits) {
  return group_offset(groups_of(valid), bits);
}

}  // namespace qr
