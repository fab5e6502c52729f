// Sizes of blocks and packets: the units in which values are quantized and travel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace qr {

/// Consecutive values that share one scale word.
inline constexpr int kBlockValues = 32;
/// Values of one packet. Packet k holds values [2048 k, 2048 (k + 1)) of the vector, whatever its length.
inline constexpr int kPacketValues = 2048;
inline constexpr int kPacketBlocks = kPacketValues / kBlockValues;
/// One 16-bit scale word a block.
inline constexpr std::size_t kScaleBytes = std::size_t{2} * kPacketBlocks;

/// Bytes on the wire of a full packet of a block codec: 2,176 for 8 bits, 1,664 for 6, 1,152 for 4, 896
/// for 3.
constexpr std::size_t packet_bytes(int bits) {
  return kScaleBytes + static_cast<std::size_t>(kPacketValues) * static_cast<std::size_t>(bits) / 8;
}

/// Packets that `count` values fill, the last one perhaps in part.
QR_DEVICE constexpr std::int64_t packets_of(std::int64_t count) {
  return (count + kPacketValues - 1) / kPacketValues;
}

/// Values of packet `packet` that exist: 2,048, less in the last one.
QR_DEVICE constexpr int valid_values(std::int64_t packet, std::int64_t count) {
  const std::int64_t left = count - packet * kPacketValues;
  return static_cast<int>(left < kPacketValues ? left : kPacketValues);
}

}  // namespace qr
