// The one communication of an iteration: sums of a dense vector over the ranks, exact or through a codec.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace examples {

/// Replaces each rank's contributions by their sum over the ranks. Collective.
using SumOverRanks = std::function<void(std::vector<double>& contributions)>;

/// MPI_Allreduce in double precision: what the others are judged by.
SumOverRanks exact_sum(MPI_Comm comm);

/// qr_mpi_allreduce in single precision with the codec of `comm`.
SumOverRanks codec_sum(MPI_Comm comm);

/// The same sum by way of what changed: every kRefreshPeriod-th call reduces the contributions themselves
/// over `exact_comm`, the calls between reduce over `comm` how far they moved since the call before, and add
/// that to the last sum. A codec's error is a fraction of what it is given; changes shrink as the iteration
/// converges, and the error with them. The refresh clears away the errors that have added up meanwhile.
SumOverRanks sum_of_changes(MPI_Comm comm, MPI_Comm exact_comm);

inline constexpr int kRefreshPeriod = 8;

}  // namespace examples
