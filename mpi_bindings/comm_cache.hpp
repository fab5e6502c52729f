// What the library knows of an MPI communicator, kept in an attribute of it.
#pragma once

#include <mpi.h>

#include <memory>

#include "lib/communicator.hpp"
#include "lib/device.hpp"
#include "mpi_bindings/call.hpp"

namespace qr::mpi {

/// Used by one thread at a time, as MPI demands of collective calls on a communicator.
struct CommState {
  std::unique_ptr<Communicator> communicator;  // null once MPI_Finalize has begun
  Bootstrap* bootstrap = nullptr;              // the communicator's
  Call call;                                   // the last decision: most programs repeat a call
  Staging staging;                             // for device memory that has to go through the host
  bool mpi_knows_devices = false;              // agreed; the setting gpu_aware may say otherwise
};

/// The state of `comm`, null for an intercommunicator. Collective the first time (it reads the environment
/// and makes the arenas), a few nanoseconds afterwards. Throws NoMpi outside MPI's lifetime; throws Error on
/// all ranks if the environment is bad or differs, and the next call tries again.
CommState* state_of(MPI_Comm comm);

/// Throws, on every rank, what the ranks agreed on, unless that is success.
void require_agreement(const Agreement& agreement, int rank);

/// Once after MPI_Init; local.
void create_state_key();
/// In MPI_Finalize. Attributes keep the key until they are deleted.
void free_state_key() noexcept;

/// In MPI_Finalize: frees what all states hold. The empty shells stay where attributes still point to them.
void close_all_states() noexcept;

/// In a forked child: from now on every look-up goes the slow way, which refuses. Safe in a fork handler.
void forget_all_states() noexcept;

}  // namespace qr::mpi
