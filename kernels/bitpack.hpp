// Packing of codes of 1 to 8 bits: eight rows of byte-wide codes to and from as many rows as a code has bits.
#pragma once

#include <cstdint>

#include "types.hpp"

namespace qr {

/// A word holds one code in each of its bytes: 4 in the std::uint32_t of a GPU lane, 16 to 64 in a SIMD
/// vector. Each byte column is packed by itself: its eight codes, first row in the lowest bits, are one
/// string of 8 * kBits bits, cut into kBits bytes. So the result does not depend on the width of the word,
/// nor on the order of its bytes.
///
/// Ops is what a word can do. Its shifts may carry bits into a neighbouring byte (they work on lanes of 16
/// bits or more); the packing never lets such a bit through.
///   using W;  W bit_or(W, W);  W shift_left<k>(W), shift_right<k>(W), k = 1..7;  W keep<m>(W): each byte & m
template <class Unsigned>
struct UnsignedWordOps {
  using W = Unsigned;
  static constexpr W kBytes = static_cast<W>(static_cast<W>(~W{0}) / 255U);  // 0x01 in each byte

  QR_DEVICE static constexpr W bit_or(W a, W b) { return static_cast<W>(a | b); }
  template <int kShift>
  QR_DEVICE static constexpr W shift_left(W x) {
    return static_cast<W>(x << kShift);
  }
  template <int kShift>
  QR_DEVICE static constexpr W shift_right(W x) {
    return static_cast<W>(x >> kShift);
  }
  template <int kMask>
  QR_DEVICE static constexpr W keep(W x) {
    return static_cast<W>(x & static_cast<W>(kBytes * static_cast<W>(kMask)));
  }
};

/// rows[8] to packed[kBits]. Bits of a code above kBits must be 0, so only codes that straddle two bytes need
/// a mask.
template <int kBits, class Ops, int kRow = 0>
QR_DEVICE constexpr void pack(const typename Ops::W* rows, typename Ops::W* packed) {
  static_assert(kBits >= 1 && kBits <= 8);
  if constexpr (kRow < 8) {
    constexpr int kByte = kRow * kBits / 8;
    constexpr int kOffset = kRow * kBits % 8;
    if constexpr (kOffset == 0) {
      packed[kByte] = rows[kRow];
    } else if constexpr (kOffset + kBits <= 8) {
      packed[kByte] = Ops::bit_or(packed[kByte], Ops::template shift_left<kOffset>(rows[kRow]));
    } else {
      constexpr int kLow = 8 - kOffset;  // bits that still fit into this byte
      const auto low = Ops::template keep<(1 << kLow) - 1>(rows[kRow]);
      packed[kByte] = Ops::bit_or(packed[kByte], Ops::template shift_left<kOffset>(low));
      packed[kByte + 1] =
          Ops::template keep<(1 << (kBits - kLow)) - 1>(Ops::template shift_right<kLow>(rows[kRow]));
    }
    pack<kBits, Ops, kRow + 1>(rows, packed);
  }
}

/// packed[kBits] to rows[8].
template <int kBits, class Ops, int kRow = 0>
QR_DEVICE constexpr void unpack(const typename Ops::W* packed, typename Ops::W* rows) {
  static_assert(kBits >= 1 && kBits <= 8);
  if constexpr (kRow < 8) {
    constexpr int kByte = kRow * kBits / 8;
    constexpr int kOffset = kRow * kBits % 8;
    constexpr int kMask = (1 << kBits) - 1;
    if constexpr (kBits == 8) {
      rows[kRow] = packed[kByte];
    } else if constexpr (kOffset == 0) {
      rows[kRow] = Ops::template keep<kMask>(packed[kByte]);
    } else if constexpr (kOffset + kBits <= 8) {
      rows[kRow] = Ops::template keep<kMask>(Ops::template shift_right<kOffset>(packed[kByte]));
    } else {
      constexpr int kLow = 8 - kOffset;
      const auto low = Ops::template keep<(1 << kLow) - 1>(Ops::template shift_right<kOffset>(packed[kByte]));
      const auto high = Ops::template keep<(1 << (kBits - kLow)) - 1>(packed[kByte + 1]);
      rows[kRow] = Ops::bit_or(low, Ops::template shift_left<kLow>(high));
    }
    unpack<kBits, Ops, kRow + 1>(packed, rows);
  }
}

}  // namespace qr
