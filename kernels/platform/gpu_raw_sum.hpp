// A running sum of raw 16-byte words of one lane, in rank order: what the raw teams and the flagged exchange
// share.
#pragma once

#include <cstdint>
#include <limits>

#include "gpu_element.hpp"

namespace qr::gpu {

/// kQuads words of elements E. The first word added starts the sum.
template <class E, ReduceOp kOp, int kQuads>
class RawSum {
  using Real = typename E::Real;
  static constexpr int kPerQuad = static_cast<int>(16 / sizeof(typename BitsOf<E>::Type));

 public:
  __device__ void add(const uint4 (&quad)[kQuads], bool first) {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      Real x[kPerQuad];
      to_reals<E>(quad[i], x);
#pragma unroll
      for (int j = 0; j < kPerQuad; ++j) {
        Real& sum = total_[i * kPerQuad + j];
        sum = first ? x[j] : combine(sum, x[j]);
      }
    }
  }

  /// Rounded once; any NaN is the quiet one.
  __device__ void finish(uint4 (&result)[kQuads]) {
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
#pragma unroll
      for (int j = 0; j < kPerQuad; ++j) {
        Real& sum = total_[i * kPerQuad + j];
        if (sum != sum) sum = std::numeric_limits<Real>::quiet_NaN();
      }
      result[i] = from_reals<E>(total_ + i * kPerQuad);
    }
  }

 private:
  __device__ static Real combine(Real total, Real x) {
    if constexpr (kOp == ReduceOp::kSum) return total + x;
    if constexpr (kOp == ReduceOp::kProd) return total * x;
    if (x != x) return x;  // and once total is NaN, both comparisons are false
    if constexpr (kOp == ReduceOp::kMin) return x < total ? x : total;
    return total < x ? x : total;
  }

  Real total_[kQuads * kPerQuad];
};

}  // namespace qr::gpu
