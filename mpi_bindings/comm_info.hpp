// Settings as MPI_Info: what a user's info object asks for, and what is in force.
#pragma once

#include <mpi.h>

#include "lib/settings.hpp"

namespace qr::mpi {

/// `base` with the keys of `info`. Throws Error(kConfig) for a key or value that is not valid. Local.
Settings settings_with(const Settings& base, MPI_Info info);

/// A new info object with every setting. Local.
MPI_Info info_of(const Settings& settings);

}  // namespace qr::mpi
