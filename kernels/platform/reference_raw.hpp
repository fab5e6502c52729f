// The packet functions of raw in plain scalar C++: what every faster version must give, bit by bit.
//
// 16-bit types are accumulated in fp32 and rounded once; an overflow is an Inf. A NaN in any rank's value
// gives NaN for every operation, min and max included, and it is always the positive quiet NaN without
// payload: which operand's payload an addition keeps differs between machines. Of equal values (+0 and -0)
// min and max keep the lowest rank's.
#pragma once

#include <limits>

#include "../element.hpp"
#include "float_guard.hpp"
#include "raw_packet.hpp"

namespace qr::reference {

template <class Real, ReduceOp kOp>
Real combine(Real total, Real x) {
  if constexpr (kOp == ReduceOp::kSum) return total + x;
  if constexpr (kOp == ReduceOp::kProd) return total * x;
  if (x != x) return x;  // and once total is NaN, both comparisons are false
  if constexpr (kOp == ReduceOp::kMin) return x < total ? x : total;
  return total < x ? x : total;
}

template <class E, ReduceOp kOp>
struct RawEngine : RawPacket<E, RawEngine<E, kOp>> {
  using Storage = typename E::Storage;
  using Real = typename E::Real;

  static void sum(const std::byte* const* packets, int world, int valid, void* values) {
    reduce(nullptr, -1, packets, world, valid, nullptr, values);
  }

  static void reduce(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                     std::byte*, void* values) {
    const FloatGuard guard;
    const auto load = [&](int source, int i) {
      const std::byte* values_of = source == rank ? static_cast<const std::byte*>(own) : packets[source];
      Storage element;
      std::memcpy(&element, values_of + static_cast<std::size_t>(i) * sizeof element, sizeof element);
      return E::load(element);
    };
    for (int i = 0; i < valid; ++i) {
      Real total = load(0, i);
      for (int source = 1; source < world; ++source) total = combine<Real, kOp>(total, load(source, i));
      if (total != total) total = std::numeric_limits<Real>::quiet_NaN();
      const Storage element = E::store(total);
      std::memcpy(static_cast<std::byte*>(values) + static_cast<std::size_t>(i) * sizeof element, &element,
                  sizeof element);
    }
  }
};

}  // namespace qr::reference
