// GpuMath: the operations that codecs are written in, on one lane's float. The same bits as ScalarMath.
#pragma once

#include <cstdint>

#include "../types.hpp"

#if defined(__HIP__)
#include "amd.hpp"
#include "amd_arithmetic.hpp"
#else
#include "nvidia.hpp"
#include "nvidia_arithmetic.hpp"
#endif

namespace qr::gpu {

/// Intrinsics, not operators: a product and a sum must not be contracted behind our back.
struct GpuMath {
  using F = float;
  using U = std::uint32_t;

  __device__ static F set(float x) { return x; }
  __device__ static U set_bits(std::uint32_t x) { return x; }
  __device__ static F mul(F a, F b) { return __fmul_rn(a, b); }
  /// The frame divides powers of two, and no quotient of its is subnormal: so the inverse times `a` is right,
  /// and short.
  __device__ static F div(F a, F b) { return __fmul_rn(__frcp_rn(b), a); }
  /// Bits of the bf16 nearest to `x` in the low half. (Anything for NaN.)
  __device__ static U to_bfloat16(F x) { return bfloat16_bits(x); }
  /// 1 / x of a normal number whose inverse is normal, wrong by one part in 2^22 at most.
  __device__ static F near_inverse(F x) { return rough_inverse(x); }
  __device__ static F fma(F a, F b, F c) { return __fmaf_rn(a, b, c); }
  /// Of a NaN and a number, the number.
  __device__ static F min(F a, F b) { return fminf(a, b); }
  __device__ static F max(F a, F b) { return fmaxf(a, b); }
  __device__ static U bits(F x) { return __float_as_uint(x); }
  __device__ static F from_bits(U x) { return __uint_as_float(x); }
  __device__ static F to_float(U x) { return __uint2float_rn(x); }
  __device__ static U bit_and(U a, U b) { return a & b; }
  __device__ static U bit_or(U a, U b) { return a | b; }
  __device__ static U add(U a, U b) { return a + b; }
  __device__ static U sub(U a, U b) { return a - b; }
  template <int kShift>
  __device__ static U shift_left(U x) {
    return x << kShift;
  }
  template <int kShift>
  __device__ static U shift_right(U x) {
    return x >> kShift;
  }
  __device__ static U select_less(F a, F b, U yes, U no) { return a < b ? yes : no; }
};

}  // namespace qr::gpu
