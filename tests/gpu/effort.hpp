// How much the device tests do. Full by default; less, and with more patience, where the "device" is an
// emulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace qr::test {

inline std::int64_t number_in_environment(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  const std::int64_t number = value == nullptr ? 0 : std::atoll(value);
  return number > 0 ? number : otherwise;
}

/// QR_TEST_SLOWER: how many times slower than a GPU the device is. Time limits grow with it.
inline std::int64_t slower() {
  static const std::int64_t factor = number_in_environment("QR_TEST_SLOWER", 1);
  return factor;
}

/// QR_TEST_MOST_VALUES: the longest vector. Longer ones are left out, or cut to it.
inline std::int64_t most_values() {
  static const std::int64_t most = number_in_environment("QR_TEST_MOST_VALUES", INT64_MAX);
  return most;
}

/// Of `full` repetitions those that a slow device has time for, on all ranks alike.
inline int repeats(int full) {
  constexpr std::int64_t kFewest = 5;
  return static_cast<int>(std::max<std::int64_t>(std::min<std::int64_t>(full, kFewest), full / slower()));
}

}  // namespace qr::test
