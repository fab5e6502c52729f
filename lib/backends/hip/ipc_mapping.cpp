// The table of open mappings behind ipc_mapping.hpp.
#include "lib/backends/hip/ipc_mapping.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "lib/backends/hip/device_memory.hpp"

namespace qr {

namespace {

using Key = std::pair<std::string, int>;  // the handle's bytes, and the device that uses the mapping

struct Table {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<void>> open;
};

/// Never destroyed: communicators may be freed after static objects are.
Table& table() {
  static Table* const instance = new Table;
  return *instance;
}

void close_mapping(void* memory, int device) {
  const std::lock_guard lock(table().mutex);
  try {
    const DeviceGuard guard(device);
    hip_ignore(hipIpcCloseMemHandle(memory));
  } catch (const Error&) {
    // The device is gone, and the mapping with it.
  }
}

}  // namespace

hipIpcMemHandle_t export_memory(void* memory) {
  hipIpcMemHandle_t handle;
  // ROCm/rocm-systems issue 2209; some container images set it.
  const bool legacy = std::getenv("HSA_ENABLE_IPC_MODE_LEGACY") != nullptr;
  hip_check(hipIpcGetMemHandle(&handle, memory),
            legacy ? "export device memory to other processes (hipIpcGetMemHandle, which "
                     "HSA_ENABLE_IPC_MODE_LEGACY, set here, breaks on real GPUs: unset it)"
                   : "export device memory to other processes (hipIpcGetMemHandle)");
  return handle;
}

std::shared_ptr<void> map_memory(const hipIpcMemHandle_t& handle, int device) {
  const Key key(std::string(reinterpret_cast<const char*>(&handle), sizeof handle), device);
  const std::lock_guard lock(table().mutex);
  if (std::shared_ptr<void> open = table().open[key].lock()) return open;
  void* memory = nullptr;
  hip_check(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess),
            "map a peer's device memory (hipIpcOpenMemHandle)");
  std::shared_ptr<void> mapping(memory, [device](void* address) { close_mapping(address, device); });
  std::erase_if(table().open, [](const auto& entry) { return entry.second.expired(); });
  table().open[key] = mapping;
  return mapping;
}

}  // namespace qr
