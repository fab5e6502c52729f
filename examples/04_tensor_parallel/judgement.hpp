// How far a pass is from the exact one, and how far it may be.
#pragma once

#include <mpi.h>

#include <vector>

#include "forward.hpp"

namespace examples {

/// The network's output for the first tokens of the batch, all in double precision. Collective.
std::vector<double> exact_output(const NetworkShare& share, int tokens, MPI_Comm comm);

struct Judgement {
  double output_error = 0;   // relative root mean square, against exact_output
  double allowed_error = 0;  // what bf16 and the noise of the sums explain
  double worst_sum = 0;  // largest error of an all-reduced value, in units of what the codec promises for it
  bool good = false;     // both within their bounds, on all ranks
};

/// Judges by `exact` (as many tokens as it has) and the all-reduces one by one, against sums in double
/// precision. `codec_error` is qr_mpi_codec_error of the codec used; a `largest_error` above 0 replaces the
/// allowed error. Collective.
Judgement judge(const Passes& passes, const std::vector<double>& exact, double codec_error,
                double largest_error, MPI_Comm comm);

}  // namespace examples
