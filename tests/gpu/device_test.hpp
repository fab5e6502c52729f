// What GoogleTest programs on device memory share: a device for each rank or a skipped test, arrays, streams,
// and data whose sums are known.
#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/backends/hip/device_memory.hpp"
#include "support/codecs.hpp"
#include "support/mpi_check.hpp"
#include "test_kernels.hpp"

namespace qr_test {

/// Makes a device current on every rank. CTest knows the sentence by which tests are skipped.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (const hipError_t error = hipGetDeviceCount(&devices); error != hipSuccess) qr::hip_ignore(error);
    // All ranks or none: the test's collectives need everybody.
    if (!on_all_ranks(devices > 0, MPI_COMM_WORLD)) GTEST_SKIP() << "SKIPPED: no device in this process";
    device_ = world_rank() % devices;
    ASSERT_EQ(hipSetDevice(device_), hipSuccess);
  }
  [[nodiscard]] int device() const { return device_; }

 private:
  int device_ = 0;
};

/// `count` values of T, `offset` bytes into an allocation.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count, std::size_t offset = 0)
      : count_(count), offset_(offset), memory_(qr::allocate_device(offset + bytes())) {}
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(static_cast<std::int64_t>(values.size())) {
    write(values);
  }
  [[nodiscard]] T* data() const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory_.get()) + offset_);
  }
  void write(const std::vector<T>& values) const {
    qr::hip_check(hipMemcpy(data(), values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice),
                  "write");
    // From pageable memory it returns before it has arrived, and other streams would not wait for that.
    qr::hip_check(hipDeviceSynchronize(), "write");
  }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(static_cast<std::size_t>(count_));
    qr::hip_check(hipMemcpy(values.data(), data(), bytes(), hipMemcpyDeviceToHost), "read");
    return values;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }
  std::int64_t count_;
  std::size_t offset_;
  qr::DeviceMemory memory_;
};

/// Whole numbers, different on every rank, whose sums are exact in fp32.
inline std::vector<float> rank_values(std::int64_t count, int rank, int step = 0) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] =
        static_cast<float>(static_cast<int>((at * 7 + static_cast<std::size_t>(step)) % 101) * (rank + 1));
  return values;
}

/// The sum of rank_values() over `world` ranks.
inline std::vector<float> rank_sums(std::int64_t count, int world, int step = 0) {
  std::vector<float> values = rank_values(count, 0, step);
  for (float& value : values) value *= static_cast<float>(world * (world + 1) / 2);
  return values;
}

/// The roads of a sum of floats on device memory: the arenas' (where there are any), and through host memory.
inline const std::vector<const char*> kRoads = {"auto", "mpi"};

inline int reduce_floats(const float* send, float* recv, std::int64_t count, MPI_Comm comm) {
  return qr_mpi_allreduce_c(send, recv, count, MPI_FLOAT, MPI_SUM, comm);
}
inline int reduce_floats(const float* send, float* recv, std::int64_t count, MPI_Comm comm,
                         hipStream_t stream) {
  return qr_mpi_allreduce_on_stream(send, recv, count, MPI_FLOAT, MPI_SUM, comm, stream);
}
inline const float* in_place() { return static_cast<const float*>(MPI_IN_PLACE); }

}  // namespace qr_test
