// When the library can work: between MPI_Init and MPI_Finalize, in the process that called MPI_Init.
#pragma once

namespace qr::mpi {

/// Returns when MPI can be used; the first call makes error codes, datatypes and attribute keys. Local,
/// thread-safe. Throws NoMpi before MPI_Init, after MPI_Finalize and in a child that was forked after
/// MPI_Init.
void require_mpi();

/// True in a child that was forked after MPI_Init: MPI and the mappings belong to the parent, so nothing is
/// called or freed.
bool is_forked_child() noexcept;

}  // namespace qr::mpi
