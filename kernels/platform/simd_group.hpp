// Pieces that SIMD packet functions share: access to blocks that may be cut short, packing of groups, decode
// scales.
#pragma once

#include <cstring>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "../host_packet.hpp"
#include "simd_element.hpp"

namespace qr::QR_TARGET {

inline constexpr int kVectors = kBlockValues / kLanes;  // of a block

/// 32 values of each block, of a vector that need not end at a block's end: missing values and blocks are +0.
template <class Storage>
class BlockReader {
 public:
  HWY_INLINE BlockReader(const Storage* values, int valid) : values_(values), whole_(valid / kBlockValues) {
    const int rest = valid % kBlockValues;
    std::memset(tail_, 0, sizeof tail_);
    if (rest != 0)
      std::memcpy(tail_, values + whole_ * kBlockValues, static_cast<std::size_t>(rest) * sizeof(Storage));
  }
  HWY_INLINE const Storage* operator[](int block) const {
    if (block < whole_) return values_ + block * kBlockValues;
    return block == whole_ ? tail_ : tail_ + kBlockValues;
  }

 private:
  const Storage* values_;
  int whole_;
  Storage tail_[2 * kBlockValues];
};

/// Where the 32 values of each block go; flush() writes the last one if it is cut short.
template <class Storage>
class BlockWriter {
 public:
  HWY_INLINE BlockWriter(Storage* values, int valid)
      : values_(values), whole_(valid / kBlockValues), rest_(valid % kBlockValues) {}
  HWY_INLINE Storage* operator[](int block) {
    return block < whole_ ? values_ + block * kBlockValues : tail_;
  }
  HWY_INLINE void flush() {
    if (rest_ != 0)
      std::memcpy(values_ + whole_ * kBlockValues, tail_, static_cast<std::size_t>(rest_) * sizeof(Storage));
  }

 private:
  Storage* values_;
  int whole_;
  int rest_;
  Storage tail_[kBlockValues];
};

/// Codes of a group, a byte each, to and from its place in a packet.
template <int kBits>
struct Group {
  static constexpr int kWords = kBlockValues / RowOps::kBytes;  // of a row

  static HWY_INLINE std::uint8_t* place(std::byte* packet, int group) {
    return reinterpret_cast<std::uint8_t*>(packet + group_offset(group, kBits));
  }

  static HWY_INLINE void store(const std::uint8_t* rows, std::uint8_t* packed) {
    const RowOps::D8 d;
    for (int word = 0; word < kWords; ++word) {
      const int column = word * RowOps::kBytes;
      RowOps::W in[kGroupBlocks];
      RowOps::W out[kBits];
      for (int row = 0; row < kGroupBlocks; ++row) in[row] = hn::Load(d, rows + row * kBlockValues + column);
      pack<kBits, RowOps>(in, out);
      for (int row = 0; row < kBits; ++row) hn::Store(out[row], d, packed + row * kBlockValues + column);
    }
  }

  /// Returns where the codes are: in `rows`, or where they were.
  static HWY_INLINE const std::uint8_t* load(const std::byte* packet, int group, std::uint8_t* rows) {
    const auto* packed = reinterpret_cast<const std::uint8_t*>(packet + group_offset(group, kBits));
    if constexpr (kBits == 8) return packed;
    const RowOps::D8 d;
    for (int word = 0; word < kWords; ++word) {
      const int column = word * RowOps::kBytes;
      RowOps::W in[kBits];
      RowOps::W out[kGroupBlocks];
      for (int row = 0; row < kBits; ++row) in[row] = hn::Load(d, packed + row * kBlockValues + column);
      unpack<kBits, RowOps>(in, out);
      for (int row = 0; row < kGroupBlocks; ++row) hn::Store(out[row], d, rows + row * kBlockValues + column);
    }
    return rows;
  }
};

/// Decode scales of the first `blocks` blocks, and a few more up to a whole vector, in units of 2^kUnits.
template <int kUnits>
HWY_INLINE void load_scales(const std::byte* packet, int blocks, float* scales) {
  const auto* words = reinterpret_cast<const std::uint16_t*>(packet);
  for (int block = 0; block < blocks; block += kLanes) {
    hn::Store(decode_scale<SimdMath, kUnits>(load_words(words + block)), SimdMath::D(), scales + block);
  }
}

}  // namespace qr::QR_TARGET
