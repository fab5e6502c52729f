// The kernels behind test_kernels.hpp.
#include "kernels/platform/gpu_math.hpp"
#include "test_kernels.hpp"

namespace qr::test {

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 8;        // few: the other ranks' kernels need room on a shared device
constexpr int kManyBlocks = 512;  // for gigabytes, between calls

__global__ void delay(std::uint64_t ticks) {
  const std::uint64_t begin = gpu::now();
  while (gpu::now() - begin < ticks) gpu::nap();
}

__global__ void fill(float* values, std::int64_t count, float factor, const std::uint32_t* step) {
  const float base = static_cast<float>(*step);
  for (std::int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += kBlocks * kThreads) {
    values[i] = factor * static_cast<float>(i % 8) + base;
  }
}

__global__ void advance(std::uint32_t* step) { *step += 1; }

__global__ void check(const float* values, std::int64_t count, float factor, float terms,
                      const std::uint32_t* step, std::uint32_t* wrong) {
  const float base = terms * static_cast<float>(*step);
  for (std::int64_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += kBlocks * kThreads) {
    if (values[i] != factor * static_cast<float>(i % 8) + base) atomicAdd(wrong, 1U);
  }
}

__global__ void fill_words(std::uint16_t* values, std::int64_t count, std::uint16_t value) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += kManyBlocks * kThreads) {
    values[i] = value;
  }
}

__global__ void count_outside(const std::uint16_t* values, std::int64_t count, std::uint16_t low,
                              std::uint16_t high, std::uint32_t* outside) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += kManyBlocks * kThreads) {
    if (values[i] < low || values[i] > high) atomicAdd(outside, 1U);
  }
}

__global__ void idle(const __grid_constant__ GpuCall) {}

}  // namespace

void queue_delay(hipStream_t stream, std::uint64_t microseconds) {
  delay<<<1, 1, 0, stream>>>(microseconds * gpu::kTicksPerMicrosecond);
}
void queue_fill(hipStream_t stream, float* values, std::int64_t count, float factor,
                const std::uint32_t* step) {
  fill<<<kBlocks, kThreads, 0, stream>>>(values, count, factor, step);
}
void queue_advance(hipStream_t stream, std::uint32_t* step) { advance<<<1, 1, 0, stream>>>(step); }
void queue_check(hipStream_t stream, const float* values, std::int64_t count, float factor, float terms,
                 const std::uint32_t* step, std::uint32_t* wrong) {
  check<<<kBlocks, kThreads, 0, stream>>>(values, count, factor, terms, step, wrong);
}

void queue_fill_words(hipStream_t stream, std::uint16_t* values, std::int64_t count, std::uint16_t value) {
  fill_words<<<kManyBlocks, kThreads, 0, stream>>>(values, count, value);
}
void queue_count_outside(hipStream_t stream, const std::uint16_t* values, std::int64_t count,
                         std::uint16_t low, std::uint16_t high, std::uint32_t* outside) {
  count_outside<<<kManyBlocks, kThreads, 0, stream>>>(values, count, low, high, outside);
}

void launch_idle(hipStream_t stream, const GpuCall& call) {
  idle<<<1, kFlaggedThreads + gpu::kWarpLanes, 0, stream>>>(call);
}

}  // namespace qr::test
