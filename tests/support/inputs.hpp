// Inputs: functions of (seed, rank, index), so that every rank can compute what every other one sends.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "floats.hpp"

namespace qr_test {

/// A well mixed number for a number (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}

/// 0 <= result < 1.
constexpr double unit(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

/// A stream of numbers that all ranks draw alike from the same seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t next() { return mixed(state_++); }
  /// 0 <= result < limit.
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_;
};

enum class Pattern {
  kUniform,   // (-1, 1)
  kMixed,     // (-1, 1) times a power of two that each block of 32 draws for itself, and some zeros
  kGaussian,  // mean 0, deviation 1
  kIntegers,  // -8 .. 8: sums of up to 8 ranks are exact in every type
  kFactors,   // 0.5 .. 2 with short mantissas, for products
};

inline constexpr std::int64_t kBlock = 32;  // values that share a scale

struct Input {
  std::uint64_t seed = 1;
  Pattern pattern = Pattern::kUniform;

  /// The value before it is rounded to the element type.
  [[nodiscard]] double real(int rank, std::int64_t index) const {
    const std::uint64_t key = mixed(seed * 1024 + static_cast<std::uint64_t>(rank));
    const std::uint64_t hash = mixed(key + static_cast<std::uint64_t>(index));
    switch (pattern) {
      case Pattern::kUniform:
        return 2 * unit(hash) - 1;
      case Pattern::kMixed: {
        if (hash % 16 == 0) return 0;
        const std::uint64_t block_hash = mixed(~key + static_cast<std::uint64_t>(index / kBlock));
        return std::ldexp(2 * unit(hash) - 1, static_cast<int>(block_hash % 17) - 10);
      }
      case Pattern::kGaussian:
        return std::sqrt(-2 * std::log(1 - unit(hash))) * std::cos(2 * std::numbers::pi * unit(mixed(hash)));
      case Pattern::kIntegers:
        return static_cast<double>(hash % 17) - 8;
      case Pattern::kFactors:
        return 0.5 + static_cast<double>(hash % 13) / 8;
    }
    return 0;
  }

  template <class T>
  [[nodiscard]] T value(int rank, std::int64_t index) const {
    return rounded<T>(real(rank, index));
  }

  template <class T>
  void fill(T* values, std::int64_t count, int rank) const {
    for (std::int64_t index = 0; index < count; ++index) values[index] = value<T>(rank, index);
  }
};

}  // namespace qr_test
