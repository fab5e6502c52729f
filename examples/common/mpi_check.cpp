// Turns the code of a failed call into text: MPI's words for it, then the library's whole sentence if it has
// one.
#include "mpi_check.hpp"

#include <mpi.h>
#include <qr_mpi/qr_mpi.h>

#include <cstdio>

namespace examples {

void check(int code, const char* file, int line) noexcept {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "%s:%d: %s\n  %s\n", file, line, text, qr_mpi_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace examples
