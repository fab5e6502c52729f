// Deterministic inputs: any rank can compute any value of any other rank, so each can check sums without
// messages.
#pragma once

#include <cstdint>

#include "elements.hpp"

namespace qr::bench {

/// A bijection of 64-bit numbers that passes for random (the last step of SplitMix64).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// std::popcount is a library call on the oldest x86-64; this one stays inline.
inline int ones_of(std::uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555ULL;
  x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return static_cast<int>((x * 0x0101010101010101ULL) >> 56);
}

/// Nearly Gaussian, mean 0: 64 coin tosses, made smooth by two uniform numbers of one toss' width. An integer
/// below 2^22 in magnitude, so it is the same on every machine and exact in fp32. Kurtosis 2.97; the noise of
/// a block quantizer on it is within 0.05 dB of that on true Gaussian values.
inline std::int32_t gaussian_steps(std::uint64_t key, std::uint64_t index) {
  constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t tosses = mix(key + index * kStride);
  const std::uint64_t smooth = mix(tosses + kStride);
  return (ones_of(tosses) - 32) * 65536 + static_cast<std::int32_t>(smooth & 0xffff) +
         static_cast<std::int32_t>((smooth >> 16) & 0xffff) - 65535;
}

/// The generator's key of a rank.
inline std::uint64_t key_of(int rank) {
  return mix(0x71725f6d70690000ULL + static_cast<std::uint64_t>(rank));
}

/// 1 / standard deviation of gaussian_steps: sqrt(64/4 + 2/12) tosses of 65,536 steps. Not a power of two, so
/// the values use the whole mantissa of their type and sums do round.
inline constexpr double kStepsToUnit = 3.794982935896354e-06;

template <class T>
T input_value(std::uint64_t key, std::int64_t index) {
  const std::int32_t steps = gaussian_steps(key, static_cast<std::uint64_t>(index));
  return from_float<T>(static_cast<float>(steps) * static_cast<float>(kStepsToUnit));
}

template <>
inline double input_value<double>(std::uint64_t key, std::int64_t index) {
  return gaussian_steps(key, static_cast<std::uint64_t>(index)) * kStepsToUnit;
}

/// Writes values [0, count) of `rank`.
void fill_inputs(void* buffer, std::int64_t count, Element element, int rank);

}  // namespace qr::bench
