// Asks MPI whether it knows device memory, and stages where it does not.
#include "device_rival.hpp"

#include <dlfcn.h>

namespace qr::bench {
namespace {

/// Open MPI and MPICH have functions that say so, by several names; an MPI without them is not GPU-aware.
/// Looked for when the program runs, since headers differ more than libraries do.
bool mpi_knows_devices() {
#if defined(__HIP_PLATFORM_AMD__)
  constexpr const char* kNames[] = {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"};
#else
  constexpr const char* kNames[] = {"MPIX_Query_cuda_support"};
#endif
  for (const char* name : kNames) {
    const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
    if (query != nullptr && query() == 1) return true;
  }
  return false;
}

}  // namespace

DeviceRival::DeviceRival(MPI_Comm comm)
    : gpu_aware_(max_over_ranks(mpi_knows_devices() ? 0 : 1, comm) == 0) {}

bool DeviceRival::staged(Element element) const {
  return !gpu_aware_ || (element != Element::kFloat && element != Element::kDouble);
}

void DeviceRival::allreduce(const Rival& rival, const void* send, void* recv, std::int64_t count,
                            Element element, MPI_Comm comm, hipStream_t stream) {
  if (!staged(element)) return rival.allreduce(send, recv, count, comm);
  const bool in_place = send == MPI_IN_PLACE;
  const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(element);
  if (bytes_ < bytes) {
    void* unused = nullptr;
    send_ = allocate_pinned(bytes, &unused);
    recv_ = allocate_pinned(bytes, &unused);
    bytes_ = bytes;
  }
  void* const host_from = in_place ? recv_.get() : send_.get();
  hip_check(hipMemcpyAsync(host_from, in_place ? recv : send, bytes, hipMemcpyDeviceToHost, stream),
            "copy to the host");
  hip_check(hipStreamSynchronize(stream), "copy to the host");
  rival.allreduce(in_place ? MPI_IN_PLACE : host_from, recv_.get(), count, comm);
  hip_check(hipMemcpyAsync(recv, recv_.get(), bytes, hipMemcpyHostToDevice, stream), "copy to the device");
  hip_check(hipStreamSynchronize(stream), "copy to the device");
}

}  // namespace qr::bench
