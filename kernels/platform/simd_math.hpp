// SimdMath: the operations codecs are written in, on the vectors of one instruction set. QR_TARGET is its
// namespace.
#pragma once

#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)  // NEON's vectors have a fixed length
#include <hwy/highway.h>

#include <cstdint>

namespace qr::QR_TARGET {

namespace hn = hwy::HWY_NAMESPACE;

// A file is compiled for one instruction set by its compiler flags, and uses Highway's static dispatch:
// functions that come from outside (the codecs) could not get the attributes that run-time dispatch inside
// one file needs. Whatever is inline here lives in the target's namespace or is forced inline, so that the
// linker never mixes instruction sets.
static_assert(HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2), "needs fused multiply-add");

struct SimdMath {
  using D = hn::ScalableTag<float>;
  using DU = hn::RebindToUnsigned<D>;
  using F = hn::Vec<D>;
  using U = hn::Vec<DU>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

  static HWY_INLINE F set(float x) { return hn::Set(D(), x); }
  static HWY_INLINE U set_bits(std::uint32_t x) { return hn::Set(DU(), x); }
  static HWY_INLINE F mul(F a, F b) { return hn::Mul(a, b); }
  static HWY_INLINE F div(F a, F b) { return hn::Div(a, b); }
  static HWY_INLINE F fma(F a, F b, F c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE F min(F a, F b) { return hn::Min(a, b); }
  static HWY_INLINE F max(F a, F b) { return hn::Max(a, b); }
  static HWY_INLINE U bits(F x) { return hn::BitCast(DU(), x); }
  static HWY_INLINE F from_bits(U x) { return hn::BitCast(D(), x); }
  static HWY_INLINE F to_float(U x) { return hn::ConvertTo(D(), hn::BitCast(hn::RebindToSigned<D>(), x)); }
  static HWY_INLINE U bit_and(U a, U b) { return hn::And(a, b); }
  static HWY_INLINE U bit_or(U a, U b) { return hn::Or(a, b); }
  static HWY_INLINE U add(U a, U b) { return hn::Add(a, b); }
  static HWY_INLINE U sub(U a, U b) { return hn::Sub(a, b); }
  template <int kShift>
  static HWY_INLINE U shift_left(U x) {
    return hn::ShiftLeft<kShift>(x);
  }
  template <int kShift>
  static HWY_INLINE U shift_right(U x) {
    return hn::ShiftRight<kShift>(x);
  }
  static HWY_INLINE U select_less(F a, F b, U yes, U no) {
    return hn::IfThenElse(hn::RebindMask(DU(), hn::Lt(a, b)), yes, no);
  }
};

/// Words of bitpack.hpp: 32 bytes, the row of a block, where vectors are that long, else half a row.
struct RowOps {
  using D8 = hn::CappedTag<std::uint8_t, 32>;
  using D32 = hn::Repartition<std::uint32_t, D8>;
  using W = hn::Vec<D8>;
  static constexpr int kBytes = static_cast<int>(hn::MaxLanes(D8()));

  static HWY_INLINE W bit_or(W a, W b) { return hn::Or(a, b); }
  template <int kShift>
  static HWY_INLINE W shift_left(W x) {
    return hn::BitCast(D8(), hn::ShiftLeft<kShift>(hn::BitCast(D32(), x)));
  }
  template <int kShift>
  static HWY_INLINE W shift_right(W x) {
    return hn::BitCast(D8(), hn::ShiftRight<kShift>(hn::BitCast(D32(), x)));
  }
  template <int kMask>
  static HWY_INLINE W keep(W x) {
    return hn::And(x, hn::Set(D8(), static_cast<std::uint8_t>(kMask)));
  }
};

}  // namespace qr::QR_TARGET
