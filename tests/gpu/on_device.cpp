// Preloaded into the tests of the public API, makes them tests of device memory: every call's buffers are
// copied to the device, at the same alignment and with guards around them, reduced there, and the result
// copied back.
//   LD_PRELOAD=libqr_on_device.so mpirun -n 2 allreduce_test
//   QR_TEST_MEMORY=stream: by qr_mpi_allreduce_on_stream and a wait (an error is that of an earlier call
//   then)
// What cannot be copied (no elements, missing buffers, types that are not there) goes on as it is.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "lib/backends/hip/device_memory.hpp"
#include "qr_mpi/qr_mpi.h"

namespace {

constexpr std::size_t kGuard = 256;
constexpr int kGuardByte = 0x5A;
constexpr std::size_t kMost = std::size_t{1} << 36;  // more bytes no test has: a count that must be refused
constexpr std::uintptr_t kNear = 4096;               // buffers this near each other stay so on the device

using Blocking = decltype(&qr_mpi_allreduce_c);
using OnStream = decltype(&qr_mpi_allreduce_on_stream);

/// The library's own function behind this one.
template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Host memory from `begin` to `end`.
struct Span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] std::size_t bytes() const { return end - begin; }
};

/// The copy of a span on the device; memory is kept for the next call.
class Mirror {
 public:
  void load(const Span& span) {
    span_ = span;
    start_ = kGuard + span.begin % kGuard;
    const std::size_t total = start_ + span.bytes() + kGuard;
    if (total > bytes_) {
      memory_ = {};
      memory_ = qr::allocate_device(total);
      bytes_ = total;
    }
    qr::hip_check(hipMemset(at(0) - kGuard, kGuardByte, kGuard), "fill a guard");
    qr::hip_check(hipMemset(at(span.bytes()), kGuardByte, kGuard), "fill a guard");
    qr::hip_check(hipMemcpy(at(0), host(), span.bytes(), hipMemcpyHostToDevice), "copy to the device");
  }
  [[nodiscard]] void* of(const void* host) const {
    return at(reinterpret_cast<std::uintptr_t>(host) - span_.begin);
  }
  void fetch(const Span& part) const {
    qr::hip_check(hipMemcpy(reinterpret_cast<void*>(part.begin), at(part.begin - span_.begin), part.bytes(),
                            hipMemcpyDeviceToHost),
                  "copy from the device");
  }
  [[nodiscard]] bool guards_hold() const {
    return holds_guard(at(0) - kGuard) && holds_guard(at(span_.bytes()));
  }
  [[nodiscard]] bool holds(const Span& part) const {
    std::vector<std::byte> copy(part.bytes());
    qr::hip_check(hipMemcpy(copy.data(), at(part.begin - span_.begin), copy.size(), hipMemcpyDeviceToHost),
                  "copy from the device");
    return std::memcmp(copy.data(), reinterpret_cast<const void*>(part.begin), copy.size()) == 0;
  }

 private:
  [[nodiscard]] std::byte* at(std::size_t offset) const {
    return static_cast<std::byte*>(memory_.get()) + start_ + offset;
  }
  [[nodiscard]] const void* host() const { return reinterpret_cast<const void*>(span_.begin); }
  static bool holds_guard(const std::byte* where) {
    std::byte copy[kGuard];
    qr::hip_check(hipMemcpy(copy, where, kGuard, hipMemcpyDeviceToHost), "read a guard");
    return std::all_of(copy, copy + kGuard, [](std::byte byte) { return byte == std::byte{kGuardByte}; });
  }
  qr::DeviceMemory memory_;
  std::size_t bytes_ = 0;
  std::size_t start_ = 0;
  Span span_;
};

/// What a thread keeps between calls. Never freed: threads may end after the device's runtime.
struct Thread {
  Mirror send;
  Mirror recv;
  qr::Stream stream;
};

/// This thread's, with a device made current; null where there is none, or in a forked child.
Thread* thread_state() {
  static const pid_t process = getpid();
  if (getpid() != process) return nullptr;
  thread_local Thread* const state = []() -> Thread* {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int devices = 0;
    if (hipGetDeviceCount(&devices) != hipSuccess || devices == 0) {
      std::printf("SKIPPED: no device in this process\n");
      return nullptr;
    }
    qr::hip_check(hipSetDevice(rank % devices), "choose a device");
    auto* made = new Thread;
    made->stream = qr::create_stream();
    return made;
  }();
  return state;
}

bool spans_of(const void* send, const void* recv, MPI_Count count, MPI_Datatype datatype, Span& from,
              Span& to) {
  if (count <= 0 || datatype == MPI_DATATYPE_NULL || recv == nullptr || recv == MPI_IN_PLACE ||
      send == nullptr)
    return false;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower = 0;
  MPI_Count true_extent = 0;
  if (MPI_Type_get_extent_x(datatype, &lower, &extent) != MPI_SUCCESS || extent <= 0 ||
      MPI_Type_get_true_extent_x(datatype, &true_lower, &true_extent) != MPI_SUCCESS ||
      count > static_cast<MPI_Count>(kMost) / extent)
    return false;
  const auto span = [&](const void* pointer) {
    const std::uintptr_t begin =
        reinterpret_cast<std::uintptr_t>(pointer) + static_cast<std::uintptr_t>(true_lower);
    return Span{begin, begin + static_cast<std::uintptr_t>((count - 1) * extent + true_extent)};
  };
  to = span(recv);
  from = send == MPI_IN_PLACE ? to : span(send);
  return from.bytes() > 0;
}

int call(Thread& thread, const void* send, void* recv, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm) {
  static const char* const memory = std::getenv("QR_TEST_MEMORY");
  static const auto blocking = real<Blocking>("qr_mpi_allreduce_c");
  static const auto on_stream = real<OnStream>("qr_mpi_allreduce_on_stream");
  if (memory == nullptr || std::strcmp(memory, "stream") != 0)
    return blocking(send, recv, count, datatype, op, comm);
  const int code = on_stream(send, recv, count, datatype, op, comm, thread.stream.get());
  qr::hip_check(hipStreamSynchronize(thread.stream.get()), "wait for a stream");
  return code;
}

int mirrored(Thread& thread, const void* send, void* recv, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm, const Span& from, const Span& to) {
  const bool in_place = send == MPI_IN_PLACE;
  const bool together = from.begin < to.end + kNear && to.begin < from.end + kNear;
  const Span both{std::min(from.begin, to.begin), std::max(from.end, to.end)};
  thread.recv.load(together ? both : to);
  if (!together) thread.send.load(from);
  // From pageable memory a copy returns before it has arrived, and other streams would not wait for that.
  qr::hip_check(hipDeviceSynchronize(), "copy to the device");
  const Mirror& source = together ? thread.recv : thread.send;
  const int code =
      call(thread, in_place ? send : source.of(send), thread.recv.of(recv), count, datatype, op, comm);
  const bool apart = from.end <= to.begin || to.end <= from.begin;
  if (!in_place && apart && !source.holds(from)) throw std::runtime_error("the call changed its input");
  if (!thread.recv.guards_hold() || (!together && !thread.send.guards_hold()))
    throw std::runtime_error("the call wrote outside its buffers");
  thread.recv.fetch(to);
  return code;
}

int reduce(const void* send, void* recv, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto blocking = real<Blocking>("qr_mpi_allreduce_c");
  int ready = 0;
  int ended = 0;
  MPI_Initialized(&ready);
  MPI_Finalized(&ended);
  try {
    Span from;
    Span to;
    Thread* const thread = ready != 0 && ended == 0 ? thread_state() : nullptr;
    if (thread == nullptr || !spans_of(send, recv, count, datatype, from, to))
      return blocking(send, recv, count, datatype, op, comm);
    return mirrored(*thread, send, recv, count, datatype, op, comm, from, to);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "on_device: %s\n", error.what());
    std::abort();
  }
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int qr_mpi_allreduce(const void* send, void* recv, int count,
                                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce(send, recv, count, datatype, op, comm);
}

[[gnu::visibility("default")]] int qr_mpi_allreduce_c(const void* send, void* recv, MPI_Count count,
                                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce(send, recv, count, datatype, op, comm);
}

[[gnu::visibility("default")]] int qr_mpi_comm_plan(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype,
                                                    MPI_Op op, const char** algorithm, const char** codec,
                                                    const char** reason) {
  static const auto on_host = real<decltype(&qr_mpi_comm_plan)>("qr_mpi_comm_plan");
  static const auto on_device = real<decltype(&qr_mpi_comm_plan_on_device)>("qr_mpi_comm_plan_on_device");
  int ready = 0;
  MPI_Initialized(&ready);
  const bool device = ready != 0 && thread_state() != nullptr;
  return (device ? on_device : on_host)(comm, count, datatype, op, algorithm, codec, reason);
}

}  // extern "C"
