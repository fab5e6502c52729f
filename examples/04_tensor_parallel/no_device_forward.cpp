// The examples without a GPU: there is no pass on a device.
#include "forward.hpp"

namespace examples {

std::unique_ptr<Forward> make_device_forward(const NetworkShare& /*share*/) { return nullptr; }

}  // namespace examples
