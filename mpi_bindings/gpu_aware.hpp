// Whether MPI takes pointers to device memory.
#pragma once

#include "lib/bootstrap.hpp"

namespace qr::mpi {

/// What this process's MPI says of the kind of device that the library was built for; false where it cannot
/// say. Local: ranks must agree on it before they use it.
bool mpi_knows_devices();

/// The answer of all ranks, false if one says so. Collective; costs nothing in builds for host memory only.
bool all_mpis_know_devices(Bootstrap& bootstrap);

}  // namespace qr::mpi
