// One helper: a call that failed ends the whole job, with the sentence that says why and where.
#pragma once

namespace examples {

/// Returns if `code` is MPI_SUCCESS; otherwise prints the error and aborts the job. For MPI and qr_mpi calls.
/// The defaults are the caller's place (builtins: std::source_location is missing from clang before 15).
void check(int code, const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept;

}  // namespace examples
