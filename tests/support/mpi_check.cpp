// MPI as the tests use it themselves: what a failed call prints, and the small collectives.
#include "mpi_check.hpp"

#include <cstdio>
#include <cstdlib>

namespace qr_test {

void must(int code, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = "?";
  int length = 0;
  (void)MPI_Error_string(code, text, &length);  // a failure here leaves the "?"
  std::fprintf(stderr, "%s:%u: the test's own MPI call failed: %s\n", where.file_name(), where.line(), text);
  (void)MPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

int world_rank() {
  int rank = 0;
  must(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return rank;
}

int world_size() {
  int size = 0;
  must(MPI_Comm_size(MPI_COMM_WORLD, &size));
  return size;
}

int Comm::rank() const {
  int rank = 0;
  must(MPI_Comm_rank(handle_, &rank));
  return rank;
}

int Comm::size() const {
  int size = 0;
  must(MPI_Comm_size(handle_, &size));
  return size;
}

std::vector<std::int64_t> gather_numbers(std::int64_t mine, MPI_Comm comm) {
  int size = 0;
  must(MPI_Comm_size(comm, &size));
  std::vector<std::int64_t> all(static_cast<std::size_t>(size));
  must(MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, comm));
  return all;
}

bool on_all_ranks(bool condition, MPI_Comm comm) {
  int mine = condition ? 1 : 0;
  int all = 0;
  must(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  return all == 1;
}

}  // namespace qr_test
