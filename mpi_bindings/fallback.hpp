// All-reduce through MPI on the user's communicator, whose error handler sees what fails: any count, and
// 16-bit floats.
#pragma once

#include <mpi.h>

#include "kernels/types.hpp"

namespace qr::mpi {

/// MPI_Allreduce with a count of any size: in one call where MPI has large counts, else in pieces.
void reduce_through_mpi(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm);

/// The same for float16 and bfloat16, which MPI cannot reduce: in fp32, rounded once. `op` is a predefined
/// one that MPI_FLOAT has.
void reduce_widened(const void* sendbuf, void* recvbuf, MPI_Count count, DataType type, MPI_Op op,
                    MPI_Comm comm);

}  // namespace qr::mpi
