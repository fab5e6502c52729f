// FR-14 on device memory: more bytes than 2^31 and 2^32, more elements than INT_MAX.
#include <algorithm>
#include <bit>
#include <cmath>

#include "device_test.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

/// The bits of a positive float16 with few digits.
std::uint16_t half_bits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // 0.5 to 1
  return static_cast<std::uint16_t>((exponent + 14) << 10 |
                                    (static_cast<int>(std::lround(mantissa * 2048)) & 1023));
}

class Large : public DeviceTest {
 protected:
  /// All elements are rank + 1; so is every block's largest, and the sum's bound follows from that.
  void reduce(std::int64_t count, const std::vector<std::string>& names) {
    const std::size_t bytes = static_cast<std::size_t>(count) * 2;
    std::size_t free = 0;
    std::size_t all = 0;
    ASSERT_EQ(hipMemGetInfo(&free, &all), hipSuccess);
    // Ranks may share the device.
    const bool room = free > 2 * bytes * static_cast<std::size_t>(world_size()) + (std::size_t{2} << 30);
    if (!on_all_ranks(room, MPI_COMM_WORLD)) GTEST_SKIP() << "not enough free device memory";
    allow_time(2);
    const DeviceArray<std::uint16_t> send(count);
    const DeviceArray<std::uint16_t> recv(count);
    const DeviceArray<std::uint32_t> wrong(1);
    qr::test::queue_fill_words(nullptr, send.data(), count, half_bits(world_rank() + 1));
    const double sum = world_size() * (world_size() + 1) / 2.0;
    const Comm comm;
    for (const Codec& codec : codecs()) {
      if (std::find(names.begin(), names.end(), codec.name) == names.end() && !names.empty()) continue;
      for (const std::string& algorithm : kAlgorithms) {
        use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
        qr::test::queue_fill_words(nullptr, recv.data(), count, 0);
        ASSERT_TRUE(succeeded(
            qr_mpi_allreduce_c(send.data(), recv.data(), count, qr_mpi_type_float16(), MPI_SUM, comm.get())))
            << codec.name << ", " << algorithm;
        const double off = codec.error * 2 * sum;
        // Positive float16 are ordered like their bits; one more on both sides for the rounding.
        qr::test::queue_count_outside(
            nullptr, recv.data(), count,
            static_cast<std::uint16_t>(half_bits(sum - off) - (codec.exact() ? 0 : 1)),
            static_cast<std::uint16_t>(half_bits(sum + off) + (codec.exact() ? 0 : 1)), wrong.data());
        EXPECT_EQ(wrong.read()[0], 0U) << codec.name << ", " << algorithm;
        wrong.write({0});
      }
    }
  }
};

TEST_F(Large, BytesBeyondIntMax) { reduce((std::int64_t{1} << 30) + 17, {}); }

TEST_F(Large, ElementsBeyondIntMax) { reduce((std::int64_t{1} << 31) + 17, {"raw", "int3"}); }

TEST_F(Large, ElementsBeyondIntMaxThroughHostMemory) {
  if (world_size() > 2) GTEST_SKIP() << "two ranks show it";
  allow_time(4);
  const std::int64_t count = (std::int64_t{1} << 31) + 17;
  const DeviceArray<std::uint8_t> bytes(count);
  ASSERT_EQ(hipMemset(bytes.data(), 1 << world_rank(), static_cast<std::size_t>(count)), hipSuccess);
  const Comm comm;
  ASSERT_TRUE(
      succeeded(qr_mpi_allreduce_c(MPI_IN_PLACE, bytes.data(), count, MPI_UINT8_T, MPI_BOR, comm.get())));
  for (const std::int64_t at : {std::int64_t{0}, (std::int64_t{1} << 31) - 60, count - 64}) {
    std::vector<std::uint8_t> values(64);
    ASSERT_EQ(hipMemcpy(values.data(), bytes.data() + at, 64, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(values, std::vector<std::uint8_t>(64, static_cast<std::uint8_t>((1 << world_size()) - 1)))
        << at;
  }
}

}  // namespace
}  // namespace qr_test
