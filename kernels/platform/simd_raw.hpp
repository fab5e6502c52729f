// The packet functions of raw on SIMD vectors: the same bits as reference_raw.cpp, which is the one to read
// first.
#pragma once

#include <limits>

#include "float_guard.hpp"
#include "raw_packet.hpp"
#include "simd_element.hpp"

namespace qr::QR_TARGET {

template <class E, ReduceOp kOp>
class RawEngine : public RawPacket<E, RawEngine<E, kOp>> {
  using Storage = typename E::Storage;
  using Real = typename E::Real;
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  static constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  static constexpr int kStep = static_cast<int>(hn::MaxLanes(D()));

 public:
  static void sum(const std::byte* const* packets, int world, int valid, void* values) {
    reduce(nullptr, -1, packets, world, valid, nullptr, values);
  }

  static void reduce(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                     std::byte*, void* values) {
    const FloatGuard guard;
    const auto source = [&](int index) {
      return static_cast<const Storage*>(index == rank ? own : static_cast<const void*>(packets[index]));
    };
    auto* to = static_cast<Storage*>(values);
    const Storage* first = source(0);
    const int whole = valid / kStep * kStep;
    if (world == 2) {
      const Storage* second = source(1);
      for (int i = 0; i < whole; i += kStep) store(combine(load(first + i), load(second + i)), to + i);
    } else {
      for (int i = 0; i < whole; i += kStep) {
        V total = load(first + i);
        for (int index = 1; index < world; ++index) total = combine(total, load(source(index) + i));
        store(total, to + i);
      }
    }
    if (const int rest = valid - whole; rest != 0) {
      V total = load_part(first + whole, rest);
      for (int index = 1; index < world; ++index)
        total = combine(total, load_part(source(index) + whole, rest));
      Storage part[kStep];
      store(total, part);
      std::memcpy(to + whole, part, static_cast<std::size_t>(rest) * sizeof(Storage));
    }
  }

 private:
  static HWY_INLINE V load(const Storage* from) {
    if constexpr (E::kType == DataType::kFloat64) {
      return hn::LoadU(D(), from);
    } else {
      return load_elements<E>(from);
    }
  }

  static HWY_INLINE V load_part(const Storage* from, int count) {
    Storage part[kStep] = {};
    std::memcpy(part, from, static_cast<std::size_t>(count) * sizeof(Storage));
    return load(part);
  }

  static HWY_INLINE void store(V x, Storage* to) {
    const V number = hn::IfThenElse(hn::Eq(x, x), x, hn::Set(D(), kNan));
    if constexpr (E::kType == DataType::kFloat64) {
      hn::StoreU(number, D(), to);
    } else {
      store_elements<E>(number, to);
    }
  }

  static HWY_INLINE V combine(V total, V x) {
    if constexpr (kOp == ReduceOp::kSum) {
      return hn::Add(total, x);
    } else if constexpr (kOp == ReduceOp::kProd) {
      return hn::Mul(total, x);
    } else {
      const auto better = kOp == ReduceOp::kMin ? hn::Lt(x, total) : hn::Lt(total, x);
      const V chosen = hn::IfThenElse(better, x, total);
      return hn::IfThenElse(hn::Eq(x, x), chosen, x);
    }
  }
};

}  // namespace qr::QR_TARGET
