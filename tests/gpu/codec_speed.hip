// Kernel-only speed of the codecs: a vector encoded into packets and decoded from them, against the device's
// own copy.
//   codec_speed [GiB of the vector]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "codec_list.hpp"
#include "kernels/gpu/codec_only.hpp"
#include "lib/backends/hip/device_memory.hpp"

namespace qr::test {
namespace {

constexpr int kRuns = 15;

__global__ void randomize(std::uint16_t* values, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761U;
    x ^= x >> 15;
    x *= 2246822519U;
    values[i] = static_cast<std::uint16_t>((x & 0x807FU) | 0x3F00U);  // bf16 of magnitude 0.5 to 1
  }
}

/// Median milliseconds of `run`.
template <class Run>
float time_of(const Run& run) {
  hipEvent_t begin{};
  hipEvent_t end{};
  hip_check(hipEventCreateWithFlags(&begin, hipEventDefault), "create an event");
  hip_check(hipEventCreateWithFlags(&end, hipEventDefault), "create an event");
  std::vector<float> times;
  for (int i = 0; i < kRuns; ++i) {
    hip_check(hipEventRecord(begin, nullptr), "record");
    run();
    hip_check(hipGetLastError(), "launch");
    hip_check(hipEventRecord(end, nullptr), "record");
    hip_check(hipEventSynchronize(end), "wait");
    float ms = 0;
    hip_check(hipEventElapsedTime(&ms, begin, end), "read a time");
    times.push_back(ms);
  }
  hip_ignore(hipEventDestroy(begin));
  hip_ignore(hipEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Bench {
  GpuCall call{};
  std::byte* packets = nullptr;
  int multiprocessors = 0;
  double copy_rate = 0;  // bytes read and written, per ms

  template <class Codec>
  void run(const char* name) {
    using Team = gpu::GpuTeam<Codec, BFloat16>;
    const double bytes =
        static_cast<double>(call.count) * 2 + static_cast<double>(call.packets) * Team::kSlotBytes;
    const int threads = gpu::kExchange<Team>.threads;
    const int blocks = multiprocessors * gpu::kExchange<Team>.blocks;
    const float encode = time_of([&] { gpu::encode_only<Team><<<blocks, threads>>>(call, packets); });
    const float decode = time_of([&] { gpu::decode_only<Team><<<blocks, threads>>>(call, packets); });
    std::printf("%-6s encode %8.1f us %6.0f GB/s %5.1f %% of copy | decode %8.1f us %6.0f GB/s %5.1f %%\n",
                name, encode * 1e3, bytes / encode / 1e6, 100 * bytes / encode / copy_rate, decode * 1e3,
                bytes / decode / 1e6, 100 * bytes / decode / copy_rate);
    std::printf("{\"codec\":\"%s\",\"encode_us\":%.2f,\"decode_us\":%.2f,\"bytes\":%.0f,\"copy_gbs\":%.1f}\n",
                name, encode * 1e3, decode * 1e3, bytes, copy_rate / 1e6);
  }
};

int run(double gib) {
  const auto bytes = static_cast<std::size_t>(gib * (1 << 30));
  Bench bench;
  hip_check(hipDeviceGetAttribute(&bench.multiprocessors, hipDeviceAttributeMultiprocessorCount, 0),
            "ask for the size");
  const DeviceMemory send = allocate_device(bytes);
  const DeviceMemory recv = allocate_device(bytes);
  const DeviceMemory packets = allocate_device(bytes * 17 / 32 + (1 << 20));
  const DeviceMemory state = allocate_device(GpuState::bytes(1024));
  bench.call.send = send.get();
  bench.call.recv = recv.get();
  bench.call.count = static_cast<std::int64_t>(bytes / 2);
  bench.call.packets = packets_of(bench.call.count);
  bench.call.state = static_cast<GpuState*>(state.get());
  bench.call.world = 1;
  bench.packets = static_cast<std::byte*>(packets.get());
  randomize<<<1024, 256>>>(static_cast<std::uint16_t*>(send.get()), bench.call.count);
  const float copy = time_of([&] {
    hip_check(hipMemcpyAsync(recv.get(), send.get(), bytes, hipMemcpyDeviceToDevice, nullptr), "copy");
  });
  bench.copy_rate = 2.0 * static_cast<double>(bytes) / copy;
  std::printf("copy %.1f us, %.0f GB/s read and written\n", copy * 1e3, bench.copy_rate / 1e6);
#define QR_RUN(name, Codec) bench.run<Codec>(#name);
  QR_BLOCK_CODECS(QR_RUN)
#undef QR_RUN
  return 0;
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  try {
    return qr::test::run(argc > 1 ? std::atof(argv[1]) : 1.0);
  } catch (const qr::Error& error) {
    std::fprintf(stderr, "codec_speed: %s\n", error.what());
    return 1;
  }
}
