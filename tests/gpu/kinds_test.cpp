// Device memory on some ranks, host memory on the others: an error that says so, or the right sum; never a
// hang.
#include "device_test.hpp"
#include "support/faults.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 5000;

class Kinds : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped() && world_size() == 1) GTEST_SKIP() << "one rank disagrees with nobody";
  }

  /// One call in which only rank `odd` has device memory (or, `swapped`, only it has host memory).
  int call_mixed(MPI_Comm comm, int odd, bool swapped, std::int64_t count = kCount) {
    std::vector<float> host = rank_values(count, world_rank());
    const DeviceArray<float> device(host);
    const bool on_device = (world_rank() == odd) != swapped;
    const int code = reduce_floats(in_place(), on_device ? device.data() : host.data(), count, comm);
    result_ = on_device ? device.read() : host;
    return code;
  }

  static void expect_right(MPI_Comm comm, bool on_device) {
    std::vector<float> host = rank_values(kCount, world_rank());
    const DeviceArray<float> device(host);
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), on_device ? device.data() : host.data(), kCount, comm)));
    EXPECT_EQ(on_device ? device.read() : host, rank_sums(kCount, world_size()));
  }

  /// True when device memory has arenas here, so that it does not go through host memory.
  bool arenas(MPI_Comm comm) {
    expect_right(comm, true);
    const Stopwatch clock;
    const DeviceArray<float> device(rank_values(kCount, world_rank()));
    const qr::Stream stream = qr::create_stream();
    // A call on a stream that waits for nobody: with arenas this returns before rank 0 has called.
    if (world_rank() == 0) sleep_ms(300);
    EXPECT_TRUE(succeeded(reduce_floats(in_place(), device.data(), kCount, comm, stream.get())));
    const bool at_once = clock.seconds() < 0.2;
    EXPECT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
    return !on_all_ranks(world_rank() == 0 || !at_once, MPI_COMM_WORLD);
  }
  std::vector<float> result_;
};

TEST_F(Kinds, InTheFirstCall) {
  for (const bool swapped : {false, true}) {
    const Comm comm;
    EXPECT_TRUE(failed_with(call_mixed(comm.get(), world_size() - 1, swapped), QR_MPI_ERR_MISMATCH));
    EXPECT_TRUE(last_error_says("device memory"));
    expect_right(comm.get(), false);
    expect_right(comm.get(), true);
  }
}

/// After the arenas are there a rank that has gone on to device memory is noticed at once, by all ranks. What
/// it began cannot be taken back: the communicator says so from then on, and another one works.
TEST_F(Kinds, InALaterCall) {
  for (const bool swapped : {false, true}) {
    const Comm comm;
    if (!arenas(comm.get())) GTEST_SKIP() << "no device arenas between these ranks";
    expect_right(comm.get(), false);
    expect_right(comm.get(), true);
    const Stopwatch clock;
    EXPECT_TRUE(failed_with(call_mixed(comm.get(), 0, swapped), QR_MPI_ERR_MISMATCH));
    EXPECT_TRUE(last_error_says("device memory"));
    EXPECT_TRUE(last_error_says("host memory"));
    EXPECT_LT(clock.seconds(), 10);
    EXPECT_TRUE(failed_with(call_mixed(comm.get(), -1, true), QR_MPI_ERR_BROKEN));
    EXPECT_TRUE(failed_with(call_mixed(comm.get(), -1, false), QR_MPI_ERR_BROKEN));
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  const Comm other;
  expect_right(other.get(), true);
}

/// Queued calls of a rank that is far behind must not be taken for a difference.
TEST_F(Kinds, ALateRankIsNoDifference) {
  const Comm comm;
  const qr::Stream stream = qr::create_stream();
  const DeviceArray<float> device(kCount);
  std::vector<float> host(kCount, 1);
  for (int round = 0; round < 20; ++round) {
    if (round % world_size() == world_rank()) sleep_ms(20);
    for (int call = 0; call < round % 4; ++call)
      ASSERT_TRUE(succeeded(reduce_floats(in_place(), device.data(), kCount, comm.get(), stream.get())));
    host.assign(kCount, 1);
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), host.data(), kCount, comm.get())));
    EXPECT_EQ(host.front(), static_cast<float>(world_size()));
  }
  EXPECT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
}

/// Where device memory goes through host memory the kinds may differ, as long as the call is one piece there.
TEST_F(Kinds, ThroughHostMemory) {
  const Comm comm;
  use(comm.get(), {{"algorithm", "mpi"}});
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(succeeded(call_mixed(comm.get(), 0, round == 1)));
    EXPECT_EQ(result_, rank_sums(kCount, world_size()));
  }
  EXPECT_TRUE(failed_with(call_mixed(comm.get(), 0, false, 3'000'000), QR_MPI_ERR_MISMATCH));
  ASSERT_TRUE(succeeded(call_mixed(comm.get(), 0, false)));
}

TEST_F(Kinds, OneBufferOfEachKind) {
  const Comm comm;
  std::vector<float> host(kCount);
  const DeviceArray<float> device(kCount);
  EXPECT_TRUE(failed_with(reduce_floats(host.data(), device.data(), kCount, comm.get()), QR_MPI_ERR_BUFFER));
  EXPECT_TRUE(failed_with(reduce_floats(device.data(), host.data(), kCount, comm.get()), QR_MPI_ERR_BUFFER));
  expect_right(comm.get(), true);
}

}  // namespace
}  // namespace qr_test
