// All-reduce of buffers in device memory: through the device arenas, by an MPI that knows devices, or piece
// by piece through host memory.
#pragma once

#include <functional>

#include "mpi_bindings/comm_cache.hpp"

namespace qr::mpi {

/// Where the work of a call goes: on the default stream, waited for, or on a stream of the caller's.
struct Queue {
  bool given = false;
  void* stream = nullptr;
};

/// The call on host memory, for `count` of its elements and decided as for all of them.
using HostCall = std::function<void(const void* sendbuf, void* recvbuf, MPI_Count count)>;

/// `call` was decided for host memory and the buffers were checked; both lie on the current device. Throws
/// Error.
void reduce_on_device(CommState& state, const Call& call, const void* sendbuf, void* recvbuf,
                      const Queue& queue, const HostCall& on_host);

/// The same on an intercommunicator: `call` goes to MPI through host memory.
void reduce_between_groups(const Call& call, const void* sendbuf, void* recvbuf, const HostCall& on_host);

/// What reduce_on_device() would do: the plan of the device arenas, or where there are none that of host
/// memory. Collective on first use.
Plan plan_on_device(CommState& state, const Call& call);

}  // namespace qr::mpi
