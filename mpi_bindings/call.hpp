// What is to be done for one combination of count, datatype and op on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "lib/communicator.hpp"
#include "mpi_bindings/signature.hpp"

namespace qr::mpi {

enum class Road : std::int32_t {
  kNothing,  // no elements
  kCopy,     // one rank: the input is the result
  kShared,   // the library's own algorithms
  kWidened,  // 16-bit floats through MPI, reduced as MPI_FLOAT
  kMpi       // MPI_Allreduce as it is
};

/// A decision, and the arguments it was made for. Equal on all ranks that call alike; nothing in it is local.
struct Call {
  MPI_Count count = -1;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

  Road road = Road::kMpi;
  std::size_t element_bytes = 0;  // 0: not an element type of the library
  Request request;                // where element_bytes is not 0
  Plan plan;                      // of kShared; elsewhere the reason only
  bool handshake = false;         // the ranks compare the call before anything else happens
  CallSignature signature;        // where there is a handshake
  bool log = false;               // a line a call was asked for
  bool lasting = false;           // the handle of the datatype never comes to mean another one

  /// True if this decision holds for another call, with these arguments.
  [[nodiscard]] bool is_for(MPI_Count a_count, MPI_Datatype a_datatype, MPI_Op an_op) const {
    return lasting && count == a_count && datatype == a_datatype && op == an_op;
  }
};

/// Decides. `communicator` is null for an intercommunicator. Throws Error(kArgument) for what no MPI call
/// takes, and what this MPI has against the datatype or the op.
Call decide(const Communicator* communicator, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/// The call for `count` of its elements, by the same road and plan.
Call part_of(const Call& call, MPI_Count count);

/// One line for the log.
std::string describe(const Call& call);

}  // namespace qr::mpi
