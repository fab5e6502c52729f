// Accuracy over all ranks, and the comparison of their parameters.
#include "evaluation.hpp"

#include <algorithm>
#include <cstring>

#include "common/mpi_check.hpp"

namespace examples {

double accuracy(Mlp& model, const Digits& digits, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  check(MPI_Comm_rank(comm, &rank));
  check(MPI_Comm_size(comm, &ranks));
  int right = 0;
  for (int image = rank; image < digits.size(); image += ranks) {
    right += model.predict(digits.image(image)) == digits.label(image);
  }
  check(MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_SUM, comm));
  return static_cast<double>(right) / std::max(digits.size(), 1);
}

bool same_on_all_ranks(const std::vector<float>& values, MPI_Comm comm) {
  std::vector<float> first = values;
  check(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_FLOAT, 0, comm));
  // Bits, not values: -0 and +0 differ here, and a NaN equals itself.
  int same = std::memcmp(first.data(), values.data(), values.size() * sizeof(float)) == 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm));
  return same != 0;
}

}  // namespace examples
