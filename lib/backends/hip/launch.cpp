// NVIDIA calls it programmatic dependent launch; HIP has no name for it.
#include "lib/backends/hip/launch.hpp"

#include "lib/backends/hip/hip_check.hpp"

namespace qr {

namespace {

constexpr const char* kWhat = "launch a kernel";

}  // namespace

#if defined(__HIP_PLATFORM_AMD__)

bool knows_early_launch(int /*device*/) { return false; }

void launch_kernel(const void* function, int blocks, int threads, void* argument, hipStream_t stream,
                   bool /*early*/) {
  hip_check(hipLaunchKernel(function, dim3(static_cast<unsigned>(blocks)),
                            dim3(static_cast<unsigned>(threads)), &argument, 0, stream),
            kWhat);
}

#else

bool knows_early_launch(int device) {
  constexpr int kDriver = 12030;  // captures it
  constexpr int kMajor = 9;
  int driver = 0;
  int major = 0;
  hip_check(cudaDriverGetVersion(&driver), "ask for the driver's version");
  hip_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
            "ask for a device's architecture");
  return driver >= kDriver && major >= kMajor;
}

void launch_kernel(const void* function, int blocks, int threads, void* argument, hipStream_t stream,
                   bool early) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  hip_check(cudaLaunchKernelExC(&config, function, &argument), kWhat);
}

#endif

}  // namespace qr
