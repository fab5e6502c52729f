// Judging a trained network: how often it is right, and whether all ranks have the same one.
#pragma once

#include <mpi.h>

#include <vector>

#include "digits_file.hpp"
#include "mlp.hpp"

namespace examples {

/// Collective: the ranks share the images. The part of them that `model` recognises, 0 to 1.
double accuracy(Mlp& model, const Digits& digits, MPI_Comm comm);

/// Collective: whether `values` has the same bits on every rank.
bool same_on_all_ranks(const std::vector<float>& values, MPI_Comm comm);

}  // namespace examples
