// The examples without a GPU: everything happens in host memory.
#include "device.hpp"

namespace examples {

std::optional<std::string> use_device(MPI_Comm /*comm*/) { return std::nullopt; }

}  // namespace examples
