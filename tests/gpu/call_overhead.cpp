// What a call on a stream costs the CPU, beside the bare launch of a kernel with the same arguments, and what
// of that are the questions to the runtime and the order between streams.
//   mpirun -n 2 call_overhead [calls of a burst]
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "kernels/platform/gpu_call.hpp"
#include "lib/backends/hip/device_memory.hpp"
#include "qr_mpi/qr_mpi.h"
#include "test_kernels.hpp"

namespace qr::test {
namespace {

constexpr int kBursts = 40;
constexpr int kCount = 2048;  // of fp16: 4 KiB, one block

void must(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::fprintf(stderr, "call_overhead: %s: %s\n", what, qr_mpi_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Microseconds of the CPU for each of `calls` calls that are only queued: median over bursts, of the slowest
/// rank. The device works on them meanwhile; its queue has room for all.
template <class Call>
double us_of(int calls, hipStream_t stream, const Call& call) {
  std::vector<double> times;
  for (int burst = 0; burst < kBursts; ++burst) {
    hip_check(hipStreamSynchronize(stream), "wait");
    must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    times.push_back(took.count() / calls);
  }
  std::sort(times.begin(), times.end());
  double slowest = times[times.size() / 2];
  must(MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  hip_check(hipStreamSynchronize(stream), "wait");
  return slowest;
}

void measure(int calls, int rank) {
  hipStream_t stream{};
  hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
  const std::size_t bytes = kCount * sizeof(std::uint16_t);
  const DeviceMemory values = allocate_device(2 * bytes);
  hip_check(hipMemset(values.get(), 0, 2 * bytes), "clear");
  GpuCall nothing{};
  nothing.shape.blocks = 1;
  const double bare = us_of(calls, stream, [&] { launch_idle(stream, nothing); });
  const auto say = [&](const char* what, double us) {
    if (rank == 0) std::printf("%-34s %6.2f us\n", what, us);
  };
  say("bare launch", bare);
  const Event event = create_event();
  say("launch, event recorded", us_of(calls, stream, [&] {
        launch_idle(stream, nothing);
        hip_check(hipEventRecord(event.get(), stream), "record an event");
      }));
  say("launch behind an event, recorded", us_of(calls, stream, [&] {
        hip_check(hipStreamWaitEvent(stream, event.get(), 0), "order a stream behind another");
        launch_idle(stream, nothing);
        hip_check(hipEventRecord(event.get(), stream), "record an event");
      }));
  say("current device", us_of(calls, stream, [] {
        int device = 0;
        hip_check(hipGetDevice(&device), "ask for the current device");
      }));
  say("whose memory a pointer is", us_of(calls, stream, [&] {
        hipPointerAttribute_t attributes{};
        hip_check(hipPointerGetAttributes(&attributes, values.get()), "ask for a pointer");
      }));
  say("whether a stream is captured", us_of(calls, stream, [&] {
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
        hip_check(hipStreamIsCapturing(stream, &status), "ask whether a stream is being captured");
      }));

  for (const char* codec : {"raw", "int4"}) {
    MPI_Comm comm = MPI_COMM_NULL;
    must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    MPI_Info info = MPI_INFO_NULL;
    must(MPI_Info_create(&info), "MPI_Info_create");
    must(MPI_Info_set(info, "codec", codec), "MPI_Info_set");
    must(qr_mpi_comm_set_info(comm, info), "qr_mpi_comm_set_info");
    must(MPI_Info_free(&info), "MPI_Info_free");
    auto* const send = static_cast<std::byte*>(values.get());
    const auto call = [&] {
      must(qr_mpi_allreduce_on_stream(send, send + bytes, kCount, qr_mpi_type_float16(), MPI_SUM, comm,
                                      stream),
           "qr_mpi_allreduce_on_stream");
    };
    call();  // sets the communicator up
    const double us = us_of(calls, stream, call);
    if (rank == 0)
      std::printf("%-4s %d values, on a stream %6.2f us, %5.2f over the bare launch\n", codec, kCount, us,
                  us - bare);
    must(MPI_Comm_free(&comm), "MPI_Comm_free");
  }
  hip_ignore(hipStreamDestroy(stream));
}

int run(int calls) {
  int rank = 0;
  must(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  int devices = 0;
  if (hipGetDeviceCount(&devices) != hipSuccess || devices == 0) {
    if (rank == 0) std::puts("SKIPPED: no device in this process");
    return 0;
  }
  hip_check(hipSetDevice(rank % devices), "choose a device");
  measure(calls, rank);
  return 0;
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = qr::test::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 100);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "call_overhead: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
