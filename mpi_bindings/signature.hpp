// What ranks must have in common when they call with a datatype and an op of MPI's, in a few words.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace qr::mpi {

/// Equal on all ranks that legally call together. Handles are not: one datatype has several names, and a
/// derived one has another handle on each rank.
struct CallSignature {
  std::uint32_t kind = 0;   // of the elements, and the op
  std::int64_t amount = 0;  // elements; bytes where ranks may write one signature with different counts
  bool in_bytes = false;
};

/// With an op of MPI's: the datatype's kind and size, and the count. With a user's op any datatype will do,
/// so what counts is what it consists of: which kinds of basic types, and how many bytes of them.
CallSignature signature_of(MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/// True for MPI's own datatypes, whose handles stay what they are.
bool is_named(MPI_Datatype datatype);

/// True for datatypes and ops that every MPI has itself, so that it need not call back to reduce them.
bool is_predefined(MPI_Datatype datatype, MPI_Op op);

}  // namespace qr::mpi
