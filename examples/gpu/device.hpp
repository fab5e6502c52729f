// Whether the ranks have a GPU, and which one each takes. No GPU header is needed to ask.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

namespace examples {

/// Collective. Makes one device the current one of this rank: its number among the ranks of the node, modulo
/// the node's devices. Returns rank 0's device in words. Nothing if the examples were built without a GPU, or
/// if a rank has no device: then all ranks stay in host memory, for all must pass the same kind. Throws if
/// ranks would have to share a device and QR_MPI_SHARED_DEVICE does not say that they may.
std::optional<std::string> use_device(MPI_Comm comm);

}  // namespace examples
