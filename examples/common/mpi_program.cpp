// MPI's lifetime and the command line.
#include "mpi_program.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <sstream>

#include "mpi_check.hpp"

namespace examples {

MpiProgram::MpiProgram(int* argc, char*** argv) {
  check(MPI_Init(argc, argv));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_));
}

MpiProgram::~MpiProgram() { MPI_Finalize(); }

std::optional<int> MpiProgram::parse(CLI::App& app, int argc, char** argv) const {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (rank_ == 0) return app.exit(error);
    std::ostringstream silence;
    return app.exit(error, silence, silence);
  }
}

int run_mpi_program(int argc, char** argv, int (*body)(const MpiProgram&, int, char**)) noexcept {
  try {
    const MpiProgram program(&argc, &argv);
    try {
      return body(program, argc, argv);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", program.rank(), error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  } catch (...) {
    std::fputs("an unknown error ends the program\n", stderr);
  }
  return 1;
}

}  // namespace examples
