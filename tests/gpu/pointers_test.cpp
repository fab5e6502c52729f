// Pointers of every origin: inside a larger allocation, of odd sizes, from a pool, managed, mapped piece by
// piece.
#include <cstdlib>
#include <memory>

#include "device_test.hpp"
#include "mapped_memory.hpp"

namespace qr_test {
namespace {

class Pointers : public DeviceTest {
 protected:
  /// Sums on both roads, in memory that is the caller's.
  void expect_sums(float* send, float* recv, std::int64_t count, const std::string& what) {
    const std::vector<float> mine = rank_values(count, world_rank());
    const std::size_t bytes = mine.size() * sizeof(float);
    for (const char* road : kRoads) {
      use(comm_.get(), {{"algorithm", road}});
      std::vector<float> result(mine.size());
      qr::hip_check(hipMemcpy(send, mine.data(), bytes, hipMemcpyDefault), "write");
      ASSERT_TRUE(succeeded(reduce_floats(send, recv, count, comm_.get()))) << what << ", " << road;
      qr::hip_check(hipMemcpy(result.data(), recv, bytes, hipMemcpyDefault), "read");
      EXPECT_EQ(result, rank_sums(count, world_size())) << what << ", " << road;
      qr::hip_check(hipMemcpy(result.data(), send, bytes, hipMemcpyDefault), "read");
      EXPECT_EQ(result, mine) << what << ", " << road << ": the input changed";
    }
  }
  Comm comm_;
};

/// FR-01: four views of one pool; sums of view 2 into view 3 leave the others alone.
TEST_F(Pointers, ViewsOfAPool) {
  constexpr std::int64_t kView = 1 << 18;  // floats: 1 MiB
  for (const std::size_t offset : {0, 4, 64, 4096}) {
    const DeviceArray<float> pool(4 * kView, offset);
    for (const char* road : kRoads) {
      use(comm_.get(), {{"algorithm", road}});
      std::vector<float> values(4 * kView);
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = static_cast<float>(world_rank() * 10 + static_cast<int>(at / kView));
      pool.write(values);
      ASSERT_TRUE(
          succeeded(reduce_floats(pool.data() + 2 * kView, pool.data() + 3 * kView, kView, comm_.get())));
      const int world = world_size();
      std::fill(values.begin() + 3 * kView, values.end(),
                static_cast<float>(5 * world * (world - 1) + 2 * world));
      EXPECT_EQ(pool.read(), values) << "offset " << offset << ", " << road;
    }
  }
}

TEST_F(Pointers, TwoBytesIntoAnAllocation) {
  constexpr std::int64_t kCount = 10'000;
  constexpr std::uint16_t kOne = 0x3C00;
  const std::uint16_t sums[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};  // 0 to 8
  if (world_size() > 8) GTEST_SKIP() << "for up to eight ranks";
  const DeviceArray<std::uint16_t> send(kCount, 2);
  const DeviceArray<std::uint16_t> recv(kCount, 6);
  send.write(std::vector<std::uint16_t>(kCount, kOne));
  for (const char* road : kRoads) {
    use(comm_.get(), {{"algorithm", road}});
    ASSERT_TRUE(succeeded(
        qr_mpi_allreduce(send.data(), recv.data(), kCount, qr_mpi_type_float16(), MPI_SUM, comm_.get())));
    EXPECT_EQ(recv.read(), std::vector<std::uint16_t>(kCount, sums[world_size()])) << road;
  }
}

/// FR-19: sizes for which IPC handles were once refused. Ours never are: users' memory is not exported.
TEST_F(Pointers, OddSizes) {
  for (const std::size_t bytes : {2'267'136, 2'097'275, 16'764'871, 16'789'561, 65, 123, 7}) {
    const qr::DeviceMemory send = qr::allocate_device(bytes);
    const qr::DeviceMemory recv = qr::allocate_device(bytes);
    expect_sums(static_cast<float*>(send.get()), static_cast<float*>(recv.get()),
                static_cast<std::int64_t>(bytes / sizeof(float)), std::to_string(bytes) + " bytes");
  }
}

TEST_F(Pointers, FromAPoolOfTheRuntime) {
  constexpr std::int64_t kCount = 100'003;
  void* memory = nullptr;
  ASSERT_EQ(hipMallocAsync(&memory, 2 * kCount * sizeof(float), nullptr), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  auto* values = static_cast<float*>(memory);
  expect_sums(values, values + kCount, kCount, "a pool");
  EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
}

TEST_F(Pointers, Mapped) {
  constexpr std::int64_t kCount = 300'003;
  std::string why;
  const std::unique_ptr<qr::test::MappedMemory> memory =
      qr::test::map_memory(device(), 2 * kCount * sizeof(float), why);
  if (!on_all_ranks(memory != nullptr, MPI_COMM_WORLD)) GTEST_SKIP() << "no memory to map: " << why;
  auto* values = static_cast<float*>(memory->get());
  expect_sums(values, values + kCount, kCount, "mapped memory");
}

/// Asked for by name: some machines that lend their devices do not want managed memory.
TEST_F(Pointers, Managed) {
  const char* wanted = std::getenv("QR_TEST_MANAGED");
  if (wanted == nullptr || std::string(wanted) != "1") GTEST_SKIP() << "QR_TEST_MANAGED=1 is not set";
  constexpr std::int64_t kCount = 50'003;
  void* memory = nullptr;
  ASSERT_EQ(hipMallocManaged(&memory, 2 * kCount * sizeof(float), hipMemAttachGlobal), hipSuccess);
  auto* values = static_cast<float*>(memory);
  expect_sums(values, values + kCount, kCount, "managed memory");
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

/// Pinned host memory is host memory, whatever the device can do with it.
TEST_F(Pointers, PinnedHostMemory) {
  constexpr std::int64_t kCount = 10'001;
  void* address = nullptr;
  const qr::PinnedMemory memory = qr::allocate_pinned(2 * kCount * sizeof(float), &address);
  auto* values = static_cast<float*>(memory.get());
  expect_sums(values, values + kCount, kCount, "pinned host memory");
  const std::vector<float> mine = rank_values(kCount, world_rank());
  std::copy(mine.begin(), mine.end(), values);
  EXPECT_TRUE(
      failed_with(reduce_floats(values, values + kCount, kCount, comm_.get(), nullptr), QR_MPI_ERR_BUFFER));
}

/// FR-27: an address between elements is refused before anything starts.
TEST_F(Pointers, OddAddress) {
  const DeviceArray<float> send(1000, 2);
  const DeviceArray<float> recv(1000);
  EXPECT_TRUE(failed_with(reduce_floats(send.data(), recv.data(), 1000, comm_.get()), QR_MPI_ERR_BUFFER));
  EXPECT_TRUE(failed_with(reduce_floats(recv.data(), send.data(), 1000, comm_.get()), QR_MPI_ERR_BUFFER));
  const DeviceArray<float> good(1000);
  expect_sums(good.data(), recv.data(), 1000, "after a refusal");
}

}  // namespace
}  // namespace qr_test
