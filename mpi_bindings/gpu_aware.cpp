// Asks MPI's extensions: Open MPI's MPIX_Query_cuda_support and MPIX_Query_rocm_support, MPICH's
// MPIX_GPU_query_support.
#include "mpi_bindings/gpu_aware.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace qr::mpi {

#if !defined(QR_WITH_DEVICE)

bool mpi_knows_devices() { return false; }

#elif defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)

bool mpi_knows_devices() {
#if defined(__HIP_PLATFORM_AMD__)
  constexpr int kKind = MPIX_GPU_SUPPORT_HIP;
#else
  constexpr int kKind = MPIX_GPU_SUPPORT_CUDA;
#endif
  int supported = 0;
  return MPIX_GPU_query_support(kKind, &supported) == MPI_SUCCESS && supported != 0;
}

#elif defined(__HIP_PLATFORM_AMD__) && defined(OMPI_HAVE_MPI_EXT_ROCM)

bool mpi_knows_devices() { return MPIX_Query_rocm_support() == 1; }

#elif !defined(__HIP_PLATFORM_AMD__) && defined(MPIX_CUDA_AWARE_SUPPORT)

// The macro is about the build, the function about this process.
bool mpi_knows_devices() { return MPIX_Query_cuda_support() == 1; }

#else

bool mpi_knows_devices() { return false; }

#endif

bool all_mpis_know_devices([[maybe_unused]] Bootstrap& bootstrap) {
#if defined(QR_WITH_DEVICE)
  const std::vector<std::int32_t> all = gather_all(bootstrap, std::int32_t{mpi_knows_devices()});
  return *std::min_element(all.begin(), all.end()) == 1;
#else
  return false;
#endif
}

}  // namespace qr::mpi
