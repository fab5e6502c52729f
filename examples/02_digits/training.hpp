// Data-parallel training: every rank works on its part of each mini-batch, and one all-reduce a step sums the
// gradients.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "dataset.hpp"

namespace examples {

struct TrainingOptions {
  int epochs = 30;
  int hidden = 64;
  int batch = 64;  // of all ranks together: the result means the same for any number of ranks
  float learning_rate = 0.05f;
  float momentum = 0.9f;
  bool on_device = false;  // compute on the current device, with the gradients in its memory
};

struct TrainingResult {
  int parameters = 0;             // length of the vector that is reduced
  int steps = 0;                  // and how often
  double test_accuracy = 0;       // of the held-out images, 0 to 1
  double noise_to_signal = 0;     // of the gradient sum, mean over sampled steps
  bool same_on_all_ranks = true;  // the trained parameters, bit by bit
};

/// Collective over `comm`, whose codec the sums use. Everything random depends on `seed` only.
TrainingResult train(const Dataset& dataset, const TrainingOptions& options, std::uint64_t seed,
                     MPI_Comm comm);

}  // namespace examples
