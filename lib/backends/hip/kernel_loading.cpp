#include "lib/backends/hip/kernel_loading.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/gpu/gpu_kernels.hpp"
#include "kernels/packet_ops.hpp"
#include "lib/backends/hip/hip_check.hpp"

namespace qr {

namespace {

/// Blocks of other kernels run beside waiting ones of ours only where a multiprocessor's split between cache
/// and shared memory suits both, and it is changed only when nothing runs there. So ours take one that suits
/// most. Without this, ranks that share a device were seen to wait for each other in vain: one in a call, the
/// other before a small kernel.
constexpr int kPercentShared = 14;  // what 32 blocks of the smallest kind reserve

void load(const GpuKernel& kernel) {
  hipFuncAttributes attributes{};
  hip_check(hipFuncGetAttributes(&attributes, kernel.function), "load a kernel");
  hip_ignore(
      hipFuncSetAttribute(kernel.function, hipFuncAttributePreferredSharedMemoryCarveout, kPercentShared));
}

}  // namespace

void load_kernels(int device) {
  static std::mutex mutex;
  static std::vector<int> done;
  const std::lock_guard lock(mutex);
  if (std::find(done.begin(), done.end(), device) != done.end()) return;
  for (int codec = 0; codec < codec_count(); ++codec) {
    for (int type = 0; type < kDataTypeCount; ++type) {
      for (int op = 0; op < kReduceOpCount; ++op) {
        const GpuKernels* kernels =
            gpu_kernels(codec, static_cast<DataType>(type), static_cast<ReduceOp>(op));
        if (kernels == nullptr) continue;
        load(kernels->exchange);
        load(kernels->two_shot);
        load(kernels->flagged);
      }
    }
  }
  load(gpu_handshake_kernel());
  load(gpu_recovery_kernel());
  done.push_back(device);
}

}  // namespace qr
