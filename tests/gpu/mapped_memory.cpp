// The driver's virtual memory functions: HIP has them in its runtime, CUDA in its driver, which is not linked
// with and asked for entry points instead.
#include "mapped_memory.hpp"

#include <hip/hip_runtime.h>

#if !defined(__HIP_PLATFORM_AMD__)

#include <cuda.h>

namespace qr::test {

namespace {

constexpr unsigned kVersion = 12000;  // of the functions' signatures

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemAddressFree) free = nullptr;

  bool load() {
    return find("cuMemGetAllocationGranularity", granularity) && find("cuMemAddressReserve", reserve) &&
           find("cuMemCreate", create) && find("cuMemMap", map) && find("cuMemSetAccess", set_access) &&
           find("cuMemUnmap", unmap) && find("cuMemRelease", release) && find("cuMemAddressFree", free);
  }

 private:
  template <class Function>
  static bool find(const char* name, Function& function) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &address, kVersion, cudaEnableDefault, &found);
    function = reinterpret_cast<Function>(address);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess && address != nullptr;
  }
};

class DriverMemory final : public MappedMemory {
 public:
  DriverMemory(const Driver& driver, int device, std::size_t bytes) : driver_(driver) {
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    std::size_t grain = 0;
    if (driver_.granularity(&grain, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS) return;
    bytes_ = (bytes + grain - 1) / grain * grain;
    if (driver_.reserve(&address_, bytes_, 0, 0, 0) != CUDA_SUCCESS) return;
    if (driver_.create(&handle_, bytes_, &kind, 0) != CUDA_SUCCESS) return;
    mapped_ = driver_.map(address_, bytes_, 0, handle_, 0) == CUDA_SUCCESS;
    CUmemAccessDesc access{};
    access.location = kind.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    usable_ = mapped_ && driver_.set_access(address_, bytes_, &access, 1) == CUDA_SUCCESS;
  }
  DriverMemory(const DriverMemory&) = delete;
  DriverMemory& operator=(const DriverMemory&) = delete;
  ~DriverMemory() override {
    // Nobody could be told of a failure here.
    if (mapped_) static_cast<void>(driver_.unmap(address_, bytes_));
    if (handle_ != 0) static_cast<void>(driver_.release(handle_));
    if (address_ != 0) static_cast<void>(driver_.free(address_, bytes_));
  }
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] void* get() const override { return reinterpret_cast<void*>(address_); }

 private:
  Driver driver_;
  CUdeviceptr address_ = 0;
  CUmemGenericAllocationHandle handle_ = 0;
  std::size_t bytes_ = 0;
  bool mapped_ = false;
  bool usable_ = false;
};

}  // namespace

std::unique_ptr<MappedMemory> map_memory(int device, std::size_t bytes, std::string& why) {
  Driver driver;
  if (!driver.load()) {
    why = "the driver has no virtual memory functions";
    return nullptr;
  }
  auto memory = std::make_unique<DriverMemory>(driver, device, bytes);
  if (memory->usable()) return memory;
  why = "the driver refused";
  return nullptr;
}

}  // namespace qr::test

#else

namespace qr::test {

std::unique_ptr<MappedMemory> map_memory(int /*device*/, std::size_t /*bytes*/, std::string& why) {
  why = "not written for this platform";
  return nullptr;
}

}  // namespace qr::test

#endif
