// FR-02, FR-04 and FR-24: which device is whose. place.sh runs it with devices shared, hidden and renumbered.
#include "device_test.hpp"

namespace qr_test {
namespace {

using Place = DeviceTest;

TEST_F(Place, RightResultsAndTheSameDeviceAfterwards) {
  constexpr std::int64_t kCount = 100'003;
  for (int repeat = 0; repeat < 2; ++repeat) {
    {
      const Comm comm;
      for (int call = 0; call < 10; ++call) {
        const DeviceArray<float> values(rank_values(kCount, world_rank(), call));
        ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), kCount, comm.get())));
        EXPECT_EQ(values.read(), rank_sums(kCount, world_size(), call));
        int current = -1;
        EXPECT_EQ(hipGetDevice(&current), hipSuccess);
        EXPECT_EQ(current, device());
      }
    }
    int current = -1;
    EXPECT_EQ(hipGetDevice(&current), hipSuccess);
    EXPECT_EQ(current, device());
  }
}

/// The application's own last error is still there after the library's calls. Set-up is not meant: what a
/// runtime refuses there takes the place of an error that nobody asked for.
TEST_F(Place, KeepsTheStickyError) {
  const Comm comm;
  const DeviceArray<float> values(rank_values(1000, world_rank()));
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 1000, comm.get())));
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  ASSERT_NE(hipSetDevice(12345), hipSuccess);
  for (const char* road : kRoads) {
    use(comm.get(), {{"algorithm", road}});
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 1000, comm.get())));
  }
  EXPECT_NE(hipGetLastError(), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

/// A buffer on a device that is not current is refused, and nothing is switched behind the caller's back.
TEST_F(Place, AnotherDeviceIsCurrent) {
  int devices = 0;
  ASSERT_EQ(hipGetDeviceCount(&devices), hipSuccess);
  if (!on_all_ranks(devices > 1, MPI_COMM_WORLD)) GTEST_SKIP() << "needs two devices in each process";
  const Comm comm;
  const DeviceArray<float> values(rank_values(1000, world_rank()));
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 1000, comm.get())));
  const int other = (device() + 1) % devices;
  ASSERT_EQ(hipSetDevice(other), hipSuccess);
  EXPECT_TRUE(failed_with(reduce_floats(in_place(), values.data(), 1000, comm.get()), QR_MPI_ERR_BUFFER));
  int current = -1;
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, other);
  ASSERT_EQ(hipSetDevice(device()), hipSuccess);
  values.write(rank_values(1000, world_rank()));
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 1000, comm.get())));
  EXPECT_EQ(values.read(), rank_sums(1000, world_size()));
}

}  // namespace

/// With or without a device: host memory works in a build for devices.
TEST(HostMemory, Works) {
  const Comm comm;
  std::vector<float> values = rank_values(70'001, world_rank());
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 70'001, comm.get())));
  EXPECT_EQ(values, rank_sums(70'001, world_size()));
}

}  // namespace qr_test
