// Asks MPI whether arguments are right, without any peer.
#pragma once

#include <mpi.h>

namespace qr::mpi {

/// What require_op_of() asks on. Called once each, after MPI_Init and in MPI_Finalize.
void create_probe();
void free_probe();

/// Throws what MPI says against the datatype or against the op for it: one that is not committed, an op that
/// the datatype lacks. Local, so that a rank finds it before its peers rely on the call.
void require_op_of(MPI_Datatype datatype, MPI_Op op);

}  // namespace qr::mpi
