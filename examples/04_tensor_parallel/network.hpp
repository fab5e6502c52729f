// Transformer MLP layers, and the slice of their weights that one tensor-parallel rank holds.
#pragma once

#include <vector>

#include "bf16.hpp"

namespace examples {

/// Attention, normalisation and residuals are left out: they need no sum over the ranks that this lacks.
struct Shape {
  int layers = 2;
  int tokens = 0;  // of the batch
  int width = 0;   // values of a token between layers
  int hidden = 0;  // and inside a layer, of all ranks together

  std::size_t activations() const {
    return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(width);
  }
};

/// Row-major.
struct Matrix {
  Matrix(int rows_of_it, int columns_of_it)
      : rows(rows_of_it),
        columns(columns_of_it),
        values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
  const Bf16* row(int index) const {
    return values.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(columns);
  }

  int rows, columns;
  std::vector<Bf16> values;
};

/// What a rank holds of one layer: some columns of the up projection (width x hidden), and the same rows of
/// the down projection (hidden x width). So it needs nobody for its part of the hidden values, and its result
/// is one of the terms whose sum over the ranks is the layer's output.
struct LayerShare {
  Matrix up, down;
};

struct NetworkShare {
  Shape shape;
  Matrix input;  // tokens x width, the same on all ranks
  std::vector<LayerShare> layers;
};

/// Random weights that depend on their place in the whole matrix only: any number of ranks has one network.
NetworkShare make_share(const Shape& shape, int rank, int ranks);

}  // namespace examples
