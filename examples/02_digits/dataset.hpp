// The data as training wants it: on every rank, and with a held-out part that is never trained on.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "digits_file.hpp"

namespace examples {

struct Dataset {
  Digits train;
  Digits test;
};

/// Collective. Rank 0 reads the file (it need exist on its node only) and all ranks get its contents. If it
/// cannot be read, rank 0 says why and every rank gets nothing.
std::optional<Digits> load_digits(const std::string& path, MPI_Comm comm);

/// Holds out `test_count` images by a fixed permutation, the same in every run and for every seed of the
/// training.
Dataset hold_out(const Digits& digits, int test_count);

}  // namespace examples
