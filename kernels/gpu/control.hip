// The kernels that move no data: the handshake, and the meeting after a call on which the ranks did not
// agree.
#include "kernels/gpu/gpu_kernels.hpp"
#include "kernels/handshake.hpp"
#include "kernels/platform/gpu_signals.hpp"

namespace qr {

namespace gpu {

inline constexpr int kControlThreads = 32;
static_assert(kControlThreads >= kMaxGpuWorld);

__global__ void __launch_bounds__(kControlThreads) handshake_only(const __grid_constant__ GpuCall call) {
  GpuSignals team(call);
  if (team.failed()) return;
  team.publish_record();
  (void)handshake(team);
}

/// The call that failed posted signals first and perhaps first + 1, first being the epoch after the one in
/// memory; the word of first + 2 is untouched.
class Meeting : public GpuSignals {
 public:
  __device__ explicit Meeting(const GpuCall& call) : GpuSignals(call, 2) {}
  __device__ void commit(Epoch) {}
};

/// All ranks come here: each saw in its first wait of the call that they differ. When they have met, nobody
/// reads or writes for that call any more, and first + 3 is as good an epoch to go on from as the last one of
/// a finished call. It is set in all blocks, also in those that only some of the ranks ran.
__global__ void __launch_bounds__(kControlThreads) recover_epochs(const __grid_constant__ GpuCall call) {
  wait_for_kernels_before();
  if (threadIdx.x == 0) call.state->failed = 0;
  __syncthreads();
  Meeting team(call);
  if (handshake(team) != Verdict::kOk) return;
  for (int block = static_cast<int>(threadIdx.x); block < call.shape.blocks; block += kControlThreads) {
    call.state->epochs[block] += 4;
  }
}

}  // namespace gpu

GpuKernel gpu_handshake_kernel() {
  return {reinterpret_cast<const void*>(&gpu::handshake_only), gpu::kControlThreads, 1, 0, 0};
}

GpuKernel gpu_recovery_kernel() {
  return {reinterpret_cast<const void*>(&gpu::recover_epochs), gpu::kControlThreads, 1, 0, 0};
}

std::uint64_t gpu_ticks_per_microsecond() { return gpu::kTicksPerMicrosecond; }

}  // namespace qr
