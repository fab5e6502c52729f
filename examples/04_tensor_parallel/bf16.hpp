// bfloat16: the upper half of a float. The same code for the host and for kernels.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIP__)
#define EXAMPLES_HOST_AND_DEVICE __host__ __device__
#else
#define EXAMPLES_HOST_AND_DEVICE
#endif

namespace examples {

/// Bits as qr_mpi_type_bfloat16() has them. Its unit roundoff is 2^-8.
struct Bf16 {
  std::uint16_t bits;
};
inline constexpr double kBf16Roundoff = 1.0 / 256;

EXAMPLES_HOST_AND_DEVICE inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Rounds to nearest, ties to even. (A NaN whose payload is in the lower half only would become infinite.)
EXAMPLES_HOST_AND_DEVICE inline Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

}  // namespace examples
