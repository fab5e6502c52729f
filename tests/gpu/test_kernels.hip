// The kernels behind test_kernels.hpp.
#include "kernels/platform/gpu_math.hpp"
#include "test_kernels.hpp"

namespace qr::test {

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 8;  // few: the other ranks' kernels need room on a shared device

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

}  // namespace qr::test
