// Checks that must run before MPI_Init or after MPI_Finalize, where no test can.
#pragma once

#include <string>
#include <vector>

namespace qr_test {

enum class Moment { kBeforeInit, kAfterFinalize };

/// A check returns an empty text, or says what was wrong.
using OutsideCheck = std::string (*)();

/// Registers a check for mpi_main to run at that moment; to be called while static objects are made.
bool at_moment(Moment moment, OutsideCheck check);

/// Runs what was registered for the moment. Returns the failures.
std::vector<std::string> run_outside_checks(Moment moment);

}  // namespace qr_test
