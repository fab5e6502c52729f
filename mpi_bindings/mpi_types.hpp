// MPI's datatypes and ops in the library's words, and the two datatypes that MPI lacks.
#pragma once

#include <mpi.h>

#include <cstdint>
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

/// True for datatypes and ops that every MPI has itself, so that it need not call back to reduce them.
bool is_predefined(MPI_Datatype datatype, MPI_Op op);

/// What ranks must have in common when they call with a datatype and op of MPI's.
struct CallSignature {
  std::uint32_t value = 0;
  bool counts = false;  // their counts can be compared too
};

/// Equal on all ranks that legally call together. Handles are not: the same derived datatype has another one
/// on each rank, and one type can have several names. So derived datatypes, and user ops, are all alike here.
CallSignature signature_of(MPI_Datatype datatype, MPI_Op op);

}  // namespace qr::mpi
