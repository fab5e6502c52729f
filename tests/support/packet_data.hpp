// Test data for packet functions: element access by DataType, value patterns that hurt, and guarded buffers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/element.hpp"
#include "kernels/packet.hpp"
#include "kernels/types.hpp"

namespace qr::test {

/// Calls f.operator()<E>() with the element class of a type.
template <class F>
decltype(auto) with_element(DataType type, const F& f) {
  switch (type) {
    case DataType::kFloat16:
      return f.template operator()<Float16>();
    case DataType::kBFloat16:
      return f.template operator()<BFloat16>();
    case DataType::kFloat32:
      return f.template operator()<Float32>();
    case DataType::kFloat64:
      break;
  }
  return f.template operator()<Float64>();
}

inline double read_value(DataType type, const std::byte* from, int index) {
  return with_element(type, [&]<class E>() -> double {
    typename E::Storage element;
    std::memcpy(&element, from + static_cast<std::size_t>(index) * sizeof element, sizeof element);
    return static_cast<double>(E::load(element));
  });
}

/// Rounds x to the type; beyond its range to the largest finite value.
inline void write_value(DataType type, double x, std::byte* to, int index) {
  with_element(type, [&]<class E>() {
    double bounded = x;
    if constexpr (E::kType != DataType::kFloat64) {
      if (std::isfinite(x)) bounded = std::clamp(x, -E::kMax, E::kMax);
    }
    const auto element = E::store(static_cast<typename E::Real>(bounded));
    std::memcpy(to + static_cast<std::size_t>(index) * sizeof element, &element, sizeof element);
  });
}

inline double largest_finite(DataType type) {
  return with_element(type, []<class E>() -> double {
    if constexpr (E::kType == DataType::kFloat64)
      return 0x1.fffffffffffffp1023;
    else
      return E::kMax;
  });
}

/// Exponents of the smallest subnormal and of the largest value.
inline int lowest_exponent(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return -24;
    case DataType::kBFloat16:
      return -133;
    case DataType::kFloat32:
      return -149;
    case DataType::kFloat64:
      break;
  }
  return -1074;
}
inline int highest_exponent(DataType type) { return std::ilogb(largest_finite(type)); }

enum class Pattern {
  kGaussian,   // one scale
  kMixed,      // each block its own scale, over the whole range of the type
  kZeros,      // +0 and -0
  kSpikes,     // one value of a block far above the others
  kSubnormal,  // the lowest few binades
  kLargest,    // plus and minus the largest finite value, and a bit less
  kOpposite,   // each block's extreme with both signs
  kBits,       // random bits: NaN and Inf among them
  kSpecials,   // Gaussian with some NaN, Inf, -0
};
inline constexpr Pattern kPatterns[] = {Pattern::kGaussian, Pattern::kMixed,     Pattern::kZeros,
                                        Pattern::kSpikes,   Pattern::kSubnormal, Pattern::kLargest,
                                        Pattern::kOpposite, Pattern::kBits,      Pattern::kSpecials};
inline bool is_finite(Pattern pattern) { return pattern != Pattern::kBits && pattern != Pattern::kSpecials; }

inline void fill(Pattern pattern, DataType type, int count, unsigned seed, std::byte* to) {
  std::mt19937 generator(seed * 31 + static_cast<unsigned>(pattern));
  std::normal_distribution<double> gauss;
  const auto below = [&](int limit) { return static_cast<int>(generator() % static_cast<unsigned>(limit)); };
  const int low = lowest_exponent(type);
  const int high = highest_exponent(type);
  double block_scale = 1.0;
  for (int i = 0; i < count; ++i) {
    if (i % kBlockValues == 0) block_scale = std::ldexp(1.0, low + below(high - low + 1));
    const double sign = below(2) == 0 ? 1.0 : -1.0;
    double x = gauss(generator);
    switch (pattern) {
      case Pattern::kGaussian:
        break;
      case Pattern::kMixed:
        x *= block_scale;
        break;
      case Pattern::kZeros:
        x = sign * 0.0;
        break;
      case Pattern::kSpikes:
        x *= below(kBlockValues) == 0 ? 1e4 : 1e-2;
        break;
      case Pattern::kSubnormal:
        x = std::ldexp(x, low + below(16));
        break;
      case Pattern::kLargest:
        x = sign * largest_finite(type) * (below(2) == 0 ? 1.0 : 0.98);
        break;
      case Pattern::kOpposite:
        x = below(3) == 0 ? 0.3 * block_scale * x : sign * block_scale;
        break;
      case Pattern::kBits:
        for (std::size_t byte = 0; byte < element_bytes(type); ++byte) {
          to[static_cast<std::size_t>(i) * element_bytes(type) + byte] = static_cast<std::byte>(generator());
        }
        continue;
      case Pattern::kSpecials:
        if (const int kind = below(100); kind < 3) {
          x = kind == 0 ? std::nan("") : sign * (kind == 1 ? HUGE_VAL : 0.0);
        }
        break;
    }
    write_value(type, x, to, i);
  }
}

/// Bytes at any offset, with guards around them.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t bytes, std::size_t offset = 0)
      : storage_(kGuard + offset + bytes + kGuard + 64, kFiller), bytes_(bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    start_ = (64 - address % 64) % 64 + kGuard + offset;
  }
  GuardedBytes(GuardedBytes&&) noexcept = default;  // a copy would lie at another alignment
  GuardedBytes& operator=(GuardedBytes&&) noexcept = default;

  std::byte* data() { return storage_.data() + start_; }
  const std::byte* data() const { return storage_.data() + start_; }
  std::size_t size() const { return bytes_; }

  /// True if nothing was written outside.
  bool intact() const {
    const auto is_filler = [](std::byte byte) { return byte == kFiller; };
    const auto start = storage_.begin() + static_cast<std::ptrdiff_t>(start_);
    return std::all_of(storage_.begin(), start, is_filler) &&
           std::all_of(start + static_cast<std::ptrdiff_t>(bytes_), storage_.end(), is_filler);
  }

 private:
  static constexpr std::size_t kGuard = 128;
  static constexpr std::byte kFiller{0xA5};
  std::vector<std::byte> storage_;
  std::size_t bytes_;
  std::size_t start_ = 0;
};

}  // namespace qr::test
