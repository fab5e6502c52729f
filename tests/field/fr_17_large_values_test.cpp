// FR-17: a bfloat16 value above 65,504 must neither poison its neighbours nor be clamped; fp16 sums out of
// range saturate.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 4096;

template <class F>
void for_all_roads(const Comm& comm, F&& f) {
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      SCOPED_TRACE(codec.name + " " + algorithm);
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      f(codec, algorithm);
    }
  }
}

class Fr17LargeValues : public testing::TestWithParam<double> {};

TEST_P(Fr17LargeValues, AmongOnesStaysInItsBlock) {
  const Comm comm;
  const double large = GetParam();
  const auto value = [large](int rank, std::int64_t index) {
    return rounded<BFloat16>(rank == 0 && index == 0 ? large : 1.0);
  };
  const Reference<BFloat16> reference(value, comm.size(), kCount);
  for_all_roads(comm, [&](const Codec& codec, const std::string& algorithm) {
    std::vector<BFloat16> send, recv(kCount);
    for (std::int64_t index = 0; index < kCount; ++index) send.push_back(value(comm.rank(), index));
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), kCount, comm.get())));
    EXPECT_TRUE(reference.check(recv.data(), kCount, codec, algorithm));
    EXPECT_GT(std::fabs(value_of(recv[0])), std::fabs(large) / 2) << "clamped";
    int not_finite = 0;
    for (const BFloat16 x : recv) not_finite += !std::isfinite(value_of(x));
    EXPECT_EQ(not_finite, 0);
    EXPECT_TRUE(equal_on_all_ranks(recv.data(), kCount * 2, comm.get()));
  });
}

INSTANTIATE_TEST_SUITE_P(Values, Fr17LargeValues, testing::Values(1e30, -1e30, 3e38, 65'536.0));

/// Under a codec the result is as near to 65,504 as the codec can say; never infinite.
TEST(Fr17Float16, SumsOutOfRangeSaturateUnderCodecsAndAreInfiniteInRaw) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank cannot overflow";
  const auto value = [](int, std::int64_t) { return rounded<Float16>(60'000); };
  const Reference<Float16> reference(value, comm.size(), 100);
  for_all_roads(comm, [&](const Codec& codec, const std::string& algorithm) {
    std::vector<Float16> send(100, rounded<Float16>(60'000)), recv(100);
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 100, comm.get())));
    EXPECT_TRUE(reference.check(recv.data(), 100, codec, algorithm));
    EXPECT_EQ(std::isinf(value_of(recv[0])), codec.exact());
    if (algorithm == "exchange" && !codec.exact()) {
      EXPECT_EQ(value_of(recv[0]), 65'504);  // not quantized again
    }
  });
}

}  // namespace
}  // namespace qr_test
