#include "mpi_bindings/probe.hpp"

#include <mutex>

#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

MPI_Comm probe = MPI_COMM_NULL;  // this process alone; errors come back
constinit std::mutex mutex;      // one collective at a time on a communicator

}  // namespace

void create_probe() {
  if (probe != MPI_COMM_NULL) return;
  require_success(MPI_Comm_dup(MPI_COMM_SELF, &probe), "MPI_Comm_dup");
  require_success(MPI_Comm_set_errhandler(probe, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void free_probe() {
  if (probe != MPI_COMM_NULL) static_cast<void>(MPI_Comm_free(&probe));
}

void require_op_of(MPI_Datatype datatype, MPI_Op op) {
  // MPI looks at its arguments before it finds that there is nothing to reduce.
  char nothing = 0;
  const std::lock_guard lock(mutex);
  require_argument_success(MPI_Allreduce(MPI_IN_PLACE, &nothing, 0, datatype, op, probe), "MPI_Allreduce");
}

}  // namespace qr::mpi
