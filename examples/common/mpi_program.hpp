// What every example's main() needs: MPI's lifetime, this rank's number, and one command line read alike by
// all ranks.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace examples {

/// MPI_Init and MPI_Finalize as a scope.
class MpiProgram {
 public:
  MpiProgram(int* argc, char*** argv);
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Parses on every rank and speaks on rank 0 only. A value means: leave with it (--help, or a bad option).
  std::optional<int> parse(CLI::App& app, int argc, char** argv) const;

 private:
  int rank_ = 0;
  int ranks_ = 1;
};

/// Runs `body` between MPI_Init and MPI_Finalize and returns its exit code. An exception that leaves it on
/// one rank ends the whole job: the others would wait for that rank for ever.
int run_mpi_program(int argc, char** argv,
                    int (*body)(const MpiProgram& program, int argc, char** argv)) noexcept;

}  // namespace examples
