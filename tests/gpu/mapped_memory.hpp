// Device memory that is reserved, created and mapped in three steps, as frameworks with growing segments do
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace qr::test {

class MappedMemory {
 public:
  virtual ~MappedMemory() = default;
  [[nodiscard]] virtual void* get() const = 0;
};

/// Null, and `why`, where the platform or the driver has no such memory.
std::unique_ptr<MappedMemory> map_memory(int device, std::size_t bytes, std::string& why);

}  // namespace qr::test
