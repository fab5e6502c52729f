// A row: four codes as the bytes of a word, made from values and added to sums.
#pragma once

#include <cstdint>

#include "gpu_math.hpp"

namespace qr::gpu {

/// Integer codecs have a shorter way from byte to value; tests compare it with the codec's own decode().
template <class C>
concept IntegerSteps = requires {
  C::kSteps;
};

/// And a shorter one from value to byte.
template <class C>
concept EncodesBytes = requires(float x) {
  C::template encode_byte<GpuMath>(x, x);
};

/// The codes of value(0..3). kSums: the values may be beyond the element's range.
template <class C, bool kSums, class ValueOf>
__device__ __forceinline__ std::uint32_t encode_row(const ValueOf& value, float inverse) {
  const auto code = [&](int i) {
    if constexpr (!kSums && EncodesBytes<C>) return C::template encode_byte<GpuMath>(value(i), inverse);
    return C::template encode<GpuMath>(value(i), inverse);
  };
  return gather_bytes(code(0), code(1), code(2), code(3));
}

/// Adds the four values of a row.
template <class C>
__device__ __forceinline__ void add_row(std::uint32_t row, float scale, float* total) {
  if constexpr (IntegerSteps<C>) {
    const BytesLess<C::kSteps> steps(row);
    // Integer times scale is exact, so one rounding remains, the sum's; and 0 * scale + 0 is +0 whatever
    // its sign.
    total[0] = __fmaf_rn(steps.template at<0>(), scale, total[0]);
    total[1] = __fmaf_rn(steps.template at<1>(), scale, total[1]);
    total[2] = __fmaf_rn(steps.template at<2>(), scale, total[2]);
    total[3] = __fmaf_rn(steps.template at<3>(), scale, total[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      total[i] = __fadd_rn(total[i], C::template decode<GpuMath>(row >> (8 * i) & 0xFFU, scale));
  }
}

}  // namespace qr::gpu
