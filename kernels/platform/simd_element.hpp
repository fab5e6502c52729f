// Loads and stores of element types as fp32 vectors, of codes as bytes, for one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../element.hpp"
#include "simd_math.hpp"

namespace qr::QR_TARGET {

using F = SimdMath::F;
using U = SimdMath::U;
inline constexpr int kLanes = SimdMath::kLanes;

using D16 = hn::Rebind<std::uint16_t, SimdMath::D>;
using DHalf = hn::Rebind<hwy::float16_t, SimdMath::D>;
using DByte = hn::Rebind<std::uint8_t, SimdMath::D>;

/// kLanes 16-bit words, in the low halves.
static HWY_INLINE U load_words(const std::uint16_t* words) {
  return hn::PromoteTo(SimdMath::DU(), hn::LoadU(D16(), words));
}

/// The low halves of kLanes words.
static HWY_INLINE void store_words(U x, std::uint16_t* words) {
  hn::StoreU(hn::TruncateTo(D16(), x), D16(), words);
}

/// kLanes elements as fp32, exact.
template <class E>
HWY_INLINE F load_elements(const typename E::Storage* from) {
  if constexpr (E::kType == DataType::kFloat32) {
    return hn::LoadU(SimdMath::D(), from);
  } else if constexpr (E::kType == DataType::kBFloat16) {
    return SimdMath::from_bits(hn::ShiftLeft<16>(load_words(from)));
  } else {
    return hn::PromoteTo(SimdMath::D(), hn::LoadU(DHalf(), reinterpret_cast<const hwy::float16_t*>(from)));
  }
}

/// kLanes fp32 to elements, half to even. A NaN must be the positive quiet one without payload.
template <class E>
HWY_INLINE void store_elements(F x, typename E::Storage* to) {
  if constexpr (E::kType == DataType::kFloat32) {
    hn::StoreU(x, SimdMath::D(), to);
  } else if constexpr (E::kType == DataType::kBFloat16) {
    const U bits = SimdMath::bits(x);
    const U odd = hn::And(hn::ShiftRight<16>(bits), SimdMath::set_bits(1));
    store_words(hn::ShiftRight<16>(hn::Add(hn::Add(bits, SimdMath::set_bits(0x7FFF)), odd)), to);
  } else {
    hn::StoreU(hn::DemoteTo(DHalf(), x), DHalf(), reinterpret_cast<hwy::float16_t*>(to));
  }
}

/// kLanes codes of a byte each.
static HWY_INLINE U load_codes(const std::uint8_t* from) {
  return hn::PromoteTo(SimdMath::DU(), hn::LoadU(DByte(), from));
}

/// A vector of bytes, or of a longer one the first 32.
template <class D8>
HWY_INLINE void store_row(D8 d8, hn::Vec<D8> bytes, std::uint8_t* to) {
  if constexpr (hn::MaxLanes(d8) > 32) {
    const hn::Half<D8> row;
    hn::StoreU(hn::LowerHalf(row, bytes), row, to);
  } else {
    hn::StoreU(bytes, d8, to);
  }
}

/// The codes of one block, 32 / kLanes vectors, as 32 bytes in order, each & keep (a mask, 4 bytes alike).
static HWY_INLINE void store_codes(const U* codes, std::uint32_t keep, std::uint8_t* to) {
  constexpr int kVectors = 32 / kLanes;
  constexpr int kMerged = kVectors < 4 ? kVectors : 4;
  const hn::Repartition<std::uint8_t, SimdMath::D> d8;
  // Bytes of up to four vectors side by side in each lane; then in each 16 bytes those of one vector
  // together.
  alignas(16) static constexpr std::uint8_t kGather[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                           2, 6, 10, 14, 3, 7, 11, 15};
  const auto gather = hn::LoadDup128(d8, kGather);
  for (int first = 0; first < kVectors; first += kMerged) {
    U merged = hn::Or(codes[first], hn::ShiftLeft<8>(codes[first + 1]));
    if constexpr (kMerged == 4) {
      const U upper = hn::Or(codes[first + 2], hn::ShiftLeft<8>(codes[first + 3]));
      merged = hn::Or(merged, hn::ShiftLeft<16>(upper));
    }
    U quads = hn::BitCast(SimdMath::DU(), hn::TableLookupBytes(hn::BitCast(d8, merged), gather));
    if constexpr (kLanes > 4) {
      // Four codes a lane. Lane k of a vector v lies in 16-byte part k: to v * parts + k.
      constexpr int kParts = kLanes / 4;
      struct Order {
        std::int32_t lane[kLanes];
      };
      alignas(64) static constexpr Order kOrder = [] {
        Order order = {};
        for (int i = 0; i < kLanes; ++i) order.lane[i] = i % kParts * 4 + i / kParts;
        return order;
      }();
      quads = hn::TableLookupLanes(quads, hn::SetTableIndices(SimdMath::DU(), kOrder.lane));
    }
    const auto bytes = hn::BitCast(d8, hn::And(quads, SimdMath::set_bits(keep)));
    store_row(d8, bytes, to + first * kLanes);
  }
}

/// Lane by lane the maximum of a vector's 16-byte parts.
template <class DU>
HWY_INLINE auto max_of_parts(DU du, hn::Vec<DU> x) {
  if constexpr (hn::MaxLanes(du) == 4) {
    return x;
  } else {
    const hn::Half<DU> half;
    return max_of_parts(half, hn::Max(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}

/// Largest key of each of four blocks, `keys` holding one vector of maxima a block.
static HWY_INLINE void store_largest(const U* keys, std::uint32_t* to) {
  const SimdMath::DU du;
  const hn::Repartition<std::uint64_t, SimdMath::D> du64;
  const auto merge = [&](U a, U b) HWY_ATTR {
    return hn::Max(hn::InterleaveLower(du, a, b), hn::InterleaveUpper(du, a, b));
  };
  const U ab = merge(keys[0], keys[1]);  // a b a b in each 16 bytes
  const U cd = merge(keys[2], keys[3]);
  const auto ab64 = hn::BitCast(du64, ab);
  const auto cd64 = hn::BitCast(du64, cd);
  const U all = hn::Max(hn::BitCast(du, hn::InterleaveLower(du64, ab64, cd64)),
                        hn::BitCast(du, hn::InterleaveUpper(du64, ab64, cd64)));
  const auto largest = max_of_parts(du, all);
  hn::Store(largest, hn::DFromV<decltype(largest)>(), to);
}

}  // namespace qr::QR_TARGET
