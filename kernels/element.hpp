// The element types of the user's buffers: how they are stored, their range, and their conversion to and from
// fp32.
#pragma once

#include <bit>
#include <cstdint>

#include "types.hpp"

namespace qr {

/// fp16 to fp32, exact. A NaN comes out quiet.
constexpr float float16_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude > 0x7C00U) return std::bit_cast<float>(sign | 0x7FC00000U | (magnitude & 0x1FFU) << 13);
  if (magnitude == 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U);
  if (magnitude >= 0x400U) return std::bit_cast<float>(sign | ((magnitude << 13) + (112U << 23)));
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F));
}

/// fp32 to fp16, half to even; too large becomes Inf, NaN the quiet NaN of its sign.
constexpr std::uint16_t float_to_float16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0x7C00U;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U;
  } else if (magnitude < 0x38800000U) {
    // Below 2^-14. The last place of 0.5 is 2^-24, the step of fp16's subnormals: adding it rounds.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
           std::bit_cast<std::uint32_t>(0.5F);
  } else if (magnitude < 0x477FF000U) {
    half = ((magnitude + 0xFFFU + (magnitude >> 13 & 1U)) >> 13) - (112U << 10);
  }
  return static_cast<std::uint16_t>(sign | half);
}

constexpr float bfloat16_to_float(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

/// fp32 to bf16, half to even; too large becomes Inf, NaN the quiet NaN of its sign.
constexpr std::uint16_t float_to_bfloat16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | 0x7FC0U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

/// An element type: Storage is what a buffer holds, Real what sums are accumulated in.
/// kHeadroom: block codecs add in units of 2^kHeadroom, so that a sum over 256 ranks cannot overflow fp32
/// half-way.
struct Float16 {
  using Storage = std::uint16_t;
  using Real = float;
  static constexpr DataType kType = DataType::kFloat16;
  static constexpr double kMax = 65504.0;
  static constexpr int kHeadroom = 0;
  static constexpr float load(Storage x) { return float16_to_float(x); }
  static constexpr Storage store(float x) { return float_to_float16(x); }
};

struct BFloat16 {
  using Storage = std::uint16_t;
  using Real = float;
  static constexpr DataType kType = DataType::kBFloat16;
  static constexpr double kMax = 0x1.fep127;
  static constexpr int kHeadroom = 8;
  static constexpr float load(Storage x) { return bfloat16_to_float(x); }
  static constexpr Storage store(float x) { return float_to_bfloat16(x); }
};

struct Float32 {
  using Storage = float;
  using Real = float;
  static constexpr DataType kType = DataType::kFloat32;
  static constexpr double kMax = 0x1.fffffep127;
  static constexpr int kHeadroom = 8;
  static constexpr float load(Storage x) { return x; }
  static constexpr Storage store(float x) { return x; }
};

/// For `raw` only.
struct Float64 {
  using Storage = double;
  using Real = double;
  static constexpr DataType kType = DataType::kFloat64;
  static constexpr double load(Storage x) { return x; }
  static constexpr Storage store(double x) { return x; }
};

}  // namespace qr
