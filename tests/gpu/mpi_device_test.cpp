// The public API on device memory under mpirun: the host path's bits, streams, what goes through the host,
// disagreement.
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "effort.hpp"
#include "host_result.hpp"
#include "lib/backends/hip/device_memory.hpp"
#include "qr_mpi/qr_mpi.h"
#include "test_kernels.hpp"

namespace qr::test {
namespace {

int failures = 0;
int rank = 0;
int size = 1;

void expect(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("rank %d of %d: %s\n", rank, size, what.c_str());
}

void expect_success(int code, const std::string& what) {
  expect(code == MPI_SUCCESS, what + ": " + qr_mpi_last_error());
}

bool is_error(int code, int which) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return code != MPI_SUCCESS && error_class == qr_mpi_error_class(which);
}

void set(MPI_Comm comm, const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  expect_success(qr_mpi_comm_set_info(comm, info), std::string("set ") + key);
  MPI_Info_free(&info);
}

void to_device(void* to, const Bytes& from) {
  hip_check(hipMemcpy(to, from.data(), from.size(), hipMemcpyHostToDevice), "fill");
  // From pageable memory it returns before the last piece has arrived, and a stream of its own would not wait
  // for that.
  hip_check(hipDeviceSynchronize(), "fill");
}
Bytes from_device(const void* from, std::size_t bytes) {
  Bytes values(bytes);
  hip_check(hipMemcpy(values.data(), from, bytes, hipMemcpyDeviceToHost), "read");
  return values;
}

/// Blocking, in place and on a stream: each gives the bits that the same call gives on host memory.
void compare_with_host(MPI_Comm comm, DataType type, MPI_Datatype datatype, MPI_Op op, MPI_Count count,
                       hipStream_t stream, const std::string& what) {
  const Bytes mine = make_input(type, count, rank, static_cast<std::uint32_t>(count), false);
  Bytes expected(mine.size());
  expect_success(qr_mpi_allreduce_c(mine.data(), expected.data(), count, datatype, op, comm),
                 what + " on the host");
  const DeviceMemory send = allocate_device(mine.size());
  const DeviceMemory recv = allocate_device(mine.size());
  to_device(send.get(), mine);
  expect_success(qr_mpi_allreduce_c(send.get(), recv.get(), count, datatype, op, comm), what);
  expect(from_device(recv.get(), mine.size()) == expected, what + ": other bits than the host's");
  to_device(recv.get(), mine);
  expect_success(qr_mpi_allreduce_c(MPI_IN_PLACE, recv.get(), count, datatype, op, comm), what + " in place");
  expect(from_device(recv.get(), mine.size()) == expected, what + " in place: other bits than the host's");
  to_device(recv.get(), mine);
  expect_success(qr_mpi_allreduce_on_stream(send.get(), recv.get(), count, datatype, op, comm, stream),
                 what + " on a stream");
  hip_check(hipStreamSynchronize(stream), "wait");
  expect(from_device(recv.get(), mine.size()) == expected, what + " on a stream: other bits than the host's");
}

void test_bits(hipStream_t stream) {
  for (int codec = 0; codec < 2 * qr_mpi_codec_count(); ++codec) {
    // Left to itself the library may choose one on the host and the other on the device.
    set(MPI_COMM_WORLD, "algorithm", codec % 2 == 0 ? "exchange" : "two_shot");
    set(MPI_COMM_WORLD, "codec", qr_mpi_codec_name(codec / 2));
    for (const MPI_Count count : {1, 2047, 100003}) {
      if (count > most_values()) continue;
      const std::string what = std::string(qr_mpi_codec_name(codec / 2)) + " count " + std::to_string(count);
      compare_with_host(MPI_COMM_WORLD, DataType::kFloat32, MPI_FLOAT, MPI_SUM, count, stream,
                        "float " + what);
      compare_with_host(MPI_COMM_WORLD, DataType::kFloat16, qr_mpi_type_float16(), MPI_SUM, count, stream,
                        "float16 " + what);
      compare_with_host(MPI_COMM_WORLD, DataType::kBFloat16, qr_mpi_type_bfloat16(), MPI_SUM, count, stream,
                        "bfloat16 " + what);
    }
  }
  set(MPI_COMM_WORLD, "codec", "raw");
  compare_with_host(MPI_COMM_WORLD, DataType::kFloat64, MPI_DOUBLE, MPI_MAX, 5001, stream, "double max");
  set(MPI_COMM_WORLD, "algorithm", "mpi");
  compare_with_host(MPI_COMM_WORLD, DataType::kFloat16, qr_mpi_type_float16(), MPI_SUM, 5001, stream,
                    "float16 through MPI");
  set(MPI_COMM_WORLD, "algorithm", "auto");
}

/// What the library's own path does not cover goes through host memory, by pieces and as a whole.
void test_staged(hipStream_t stream) {
  const int count = static_cast<int>(std::min<std::int64_t>(100001, most_values()));
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  const DeviceMemory send = allocate_device(bytes);
  const DeviceMemory recv = allocate_device(bytes);
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = i * (rank + 1);
  hip_check(hipMemcpy(send.get(), values.data(), bytes, hipMemcpyHostToDevice), "fill");
  hip_check(hipDeviceSynchronize(), "fill");
  for (int round = 0; round < 2; ++round) {
    const int code = round == 0
                         ? qr_mpi_allreduce(send.get(), recv.get(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
                         : qr_mpi_allreduce_on_stream(send.get(), recv.get(), count, MPI_INT, MPI_SUM,
                                                      MPI_COMM_WORLD, stream);
    expect_success(code, "integers");
    hip_check(hipMemcpy(values.data(), recv.get(), bytes, hipMemcpyDeviceToHost), "read");
    bool right = true;
    for (int i = 0; i < count; ++i)
      right = right && values[static_cast<std::size_t>(i)] == i * size * (size + 1) / 2;
    expect(right, "integers: wrong sums");
  }
}

/// FR-16: a slow producer and a consumer on the stream; the host waits for nobody.
void test_stream(hipStream_t stream) {
  const std::int64_t count = std::min<std::int64_t>(300007, most_values());
  const DeviceMemory memory = allocate_device(2 * static_cast<std::size_t>(count) * sizeof(float));
  const DeviceMemory counters = allocate_device(64);
  auto* values = static_cast<float*>(memory.get());
  auto* step = static_cast<std::uint32_t*>(counters.get());
  queue_delay(stream, 50000);
  queue_fill(stream, values, count, static_cast<float>(rank + 1), step);
  expect_success(
      qr_mpi_allreduce_on_stream(values, values + count, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, stream),
      "stream");
  queue_fill(stream, values, count, 0.0F, step);
  queue_check(stream, values + count, count, static_cast<float>(size * (size + 1) / 2), 0.0F, step, step + 1);
  hip_check(hipStreamSynchronize(stream), "wait");
  std::uint32_t wrong = 0;
  hip_check(hipMemcpy(&wrong, step + 1, sizeof wrong, hipMemcpyDeviceToHost), "read");
  expect(wrong == 0, "stream order: " + std::to_string(wrong) + " wrong values");
}

/// Device memory on one rank, host memory on the others: an error on all, and the next call works.
void test_disagreement() {
  if (size == 1) return;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const DeviceMemory device = allocate_device(4000);
  std::vector<float> host(1000);
  void* const buffer = rank == 0 ? device.get() : host.data();
  const int code = qr_mpi_allreduce(MPI_IN_PLACE, buffer, 1000, MPI_FLOAT, MPI_SUM, comm);
  expect(is_error(code, QR_MPI_ERR_MISMATCH), std::string("two kinds of memory: ") + qr_mpi_last_error());
  expect_success(qr_mpi_allreduce(MPI_IN_PLACE, host.data(), 1000, MPI_FLOAT, MPI_SUM, comm),
                 "host memory afterwards");
  expect_success(qr_mpi_allreduce(MPI_IN_PLACE, device.get(), 1000, MPI_FLOAT, MPI_SUM, comm),
                 "device memory afterwards");
  const int mixed = qr_mpi_allreduce(host.data(), device.get(), 1000, MPI_FLOAT, MPI_SUM, comm);
  expect(is_error(mixed, QR_MPI_ERR_BUFFER), std::string("host and device buffer: ") + qr_mpi_last_error());
  expect_success(qr_mpi_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, comm), "no elements");
  MPI_Comm_free(&comm);
}

int run() {
  int devices = 0;
  if (hipGetDeviceCount(&devices) != hipSuccess || devices == 0) {
    std::printf("SKIPPED: no device in this process\n");
    return 0;
  }
  hip_check(hipSetDevice(rank % devices), "choose a device");
  hipStream_t stream{};
  hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  test_bits(stream);
  test_staged(stream);
  test_stream(stream);
  test_disagreement();
  int device = -1;
  hip_check(hipGetDevice(&device), "ask for the device");
  expect(device == rank % devices, "another device is current now");
  hip_ignore(hipStreamDestroy(stream));
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("mpi_device_test: %s\n", all == 0 ? "passed" : "FAILED");
  return all == 0 ? 0 : 1;
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &qr::test::rank);
  MPI_Comm_size(MPI_COMM_WORLD, &qr::test::size);
  int code = 1;
  try {
    code = qr::test::run();
  } catch (const std::exception& error) {
    std::printf("rank %d: %s\n", qr::test::rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
