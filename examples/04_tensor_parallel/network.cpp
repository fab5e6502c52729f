// Weights by a hash of their place.
#include "network.hpp"

#include <cmath>
#include <cstdint>

#include "gelu.hpp"

namespace examples {

namespace {

/// Uniform, with mean 0 and variance 1. (The hash is splitmix64.)
double random_value(std::uint64_t matrix, std::uint64_t place) {
  std::uint64_t z = (matrix << 40) + place * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return (std::ldexp(static_cast<double>(z >> 11), -52) - 1) * std::sqrt(3.0);
}

/// Rows and columns from (first_row, first_column) on, of a matrix with `all_columns` columns.
void fill(Matrix& matrix, std::uint64_t number, int first_row, int first_column, int all_columns,
          double size) {
  std::size_t at = 0;
  for (int row = first_row; row < first_row + matrix.rows; ++row) {
    for (int column = first_column; column < first_column + matrix.columns; ++column) {
      const auto place = static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(all_columns) +
                         static_cast<std::uint64_t>(column);
      matrix.values[at++] = to_bf16(static_cast<float>(size * random_value(number, place)));
    }
  }
}

int split(int length, int rank, int ranks) {
  return static_cast<int>(static_cast<std::int64_t>(length) * rank / ranks);
}

}  // namespace

NetworkShare make_share(const Shape& shape, int rank, int ranks) {
  const int begin = split(shape.hidden, rank, ranks);
  const int count = split(shape.hidden, rank + 1, ranks) - begin;
  NetworkShare share{shape, Matrix(shape.tokens, shape.width), {}};
  fill(share.input, 0, 0, 0, shape.width, 1.0);
  for (int layer = 0; layer < shape.layers; ++layer) {
    const auto number = 2 * static_cast<std::uint64_t>(layer);
    share.layers.push_back({Matrix(shape.width, count), Matrix(count, shape.width)});
    fill(share.layers.back().up, number + 1, 0, begin, shape.hidden, 1 / std::sqrt(shape.width));
    fill(share.layers.back().down, number + 2, begin, 0, shape.width,
         1 / std::sqrt(kGeluMeanSquare * shape.hidden));
  }
  return share;
}

}  // namespace examples
