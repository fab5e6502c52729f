// A shuffle that gives the same order on every rank and with every standard library.
#pragma once

#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace examples {

/// The numbers 0 to count-1 in an order that depends on `random` only. Not std::shuffle, whose order each
/// library chooses.
inline std::vector<int> shuffled(int count, std::mt19937_64& random) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

}  // namespace examples
