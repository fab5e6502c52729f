// The examples without a GPU: there is no learner on a device.
#include "learner.hpp"

namespace examples {

std::unique_ptr<Learner> make_device_learner(const Mlp& /*model*/, const Digits& /*images*/,
                                             int /*most_images*/) {
  return nullptr;
}

}  // namespace examples
