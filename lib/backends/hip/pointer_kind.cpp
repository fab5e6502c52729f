// hipPointerGetAttributes, with the differences between runtimes ironed out.
#include "lib/backends/hip/pointer_kind.hpp"

#include "lib/backends/hip/hip_check.hpp"

namespace qr {

namespace {

/// HIP 5 calls the member memoryType, HIP 6 and CUDA type.
template <class Attributes>
auto type_of(const Attributes& attributes) {
  if constexpr (requires { attributes.type; }) {
    return attributes.type;
  } else {
    return attributes.memoryType;
  }
}

}  // namespace

bool device_available() {
  static const bool available = [] {
    int count = 0;
    const hipError_t error = hipGetDeviceCount(&count);
    hip_ignore(error);
    return error == hipSuccess && count > 0;
  }();
  return available;
}

PointerKind pointer_kind(const void* pointer) {
  if (pointer == nullptr || !device_available()) return {};
  hipPointerAttribute_t attributes{};
  if (const hipError_t error = hipPointerGetAttributes(&attributes, pointer); error != hipSuccess) {
    hip_ignore(error);  // HIP 5 answers so for memory it does not know
    return {};
  }
  if (type_of(attributes) == hipMemoryTypeDevice) return {MemorySpace::kDevice, attributes.device};
  if (type_of(attributes) == hipMemoryTypeManaged) {
    int device = 0;
    if (const hipError_t error = hipGetDevice(&device); error != hipSuccess) hip_ignore(error);
    return {MemorySpace::kDevice, device};
  }
  return {};
}

}  // namespace qr
