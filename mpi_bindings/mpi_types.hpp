// MPI's datatypes and ops in the library's words, and the two datatypes that MPI lacks.
#pragma once

#include <mpi.h>

#include <optional>

#include "kernels/types.hpp"

namespace qr::mpi {

/// Makes the 16-bit datatypes and learns which optional datatypes this MPI has. Local, once, after MPI_Init.
void create_types();
/// In MPI_Finalize.
void free_types() noexcept;

/// Valid between create_types and free_types, MPI_DATATYPE_NULL outside.
MPI_Datatype float16_type() noexcept;
MPI_Datatype bfloat16_type() noexcept;

/// The library's element type of a datatype, by handle: C, Fortran and extension names of 16-, 32- and 64-bit
/// floats.
std::optional<DataType> element_type(MPI_Datatype datatype) noexcept;

std::optional<ReduceOp> reduce_op(MPI_Op op) noexcept;

}  // namespace qr::mpi
