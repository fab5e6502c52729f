// FR-23: buffers that overlap without MPI_IN_PLACE are an error; buffers that only touch are not.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

constexpr int kCount = 8;

class Fr23Overlap : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { use(comm_.get(), {{"algorithm", GetParam()}}); }

  template <class T>
  int call(std::vector<T>& buffer, int send_at, int recv_at, int count) {
    return sum(buffer.data() + send_at, buffer.data() + recv_at, count, comm_.get());
  }
  Comm comm_;
};

TEST_P(Fr23Overlap, SharedElementsAreAnError) {
  for_all_types([&]<class T>() {
    const std::vector<T> before(3 * kCount, rounded<T>(1));
    std::vector<T> buffer = before;
    for (const int recv_at : {kCount, kCount + 1, kCount - 1, kCount + kCount - 1, 1}) {
      SCOPED_TRACE(testing::Message() << Format<T>::kName << ", distance " << recv_at - kCount);
      EXPECT_TRUE(failed_with(call(buffer, kCount, recv_at, kCount), QR_MPI_ERR_BUFFER));
      EXPECT_TRUE(last_error_says("overlap"));
      EXPECT_TRUE(last_error_says("MPI_IN_PLACE")) << "what to do instead";
    }
    for (std::size_t index = 0; index < buffer.size(); ++index)
      EXPECT_EQ(bits_of(buffer[index]), bits_of(before[index]));
  });
}

TEST_P(Fr23Overlap, AdjacentBuffersWork) {
  for_all_types([&]<class T>() {
    for (const int recv_at : {0, 2 * kCount}) {
      std::vector<T> buffer(3 * kCount, rounded<T>(1));
      EXPECT_TRUE(succeeded(call(buffer, kCount, recv_at, kCount)));
      for (int index = 0; index < 3 * kCount; ++index) {
        const bool reduced = index >= recv_at && index < recv_at + kCount;
        EXPECT_EQ(value_of(buffer[static_cast<std::size_t>(index)]), reduced ? comm_.size() : 1) << index;
      }
    }
  });
}

TEST_P(Fr23Overlap, NothingCannotOverlap) {
  std::vector<float> buffer(1, 5);
  EXPECT_TRUE(succeeded(call(buffer, 0, 0, 0)));
  EXPECT_EQ(buffer[0], 5);
}

TEST_P(Fr23Overlap, OfTypesThatGoThroughMpiIsAnErrorToo) {
  std::vector<int> buffer(3 * kCount, 1);
  EXPECT_TRUE(
      failed_with(qr_mpi_allreduce(buffer.data(), buffer.data() + 1, kCount, MPI_INT, MPI_SUM, comm_.get()),
                  QR_MPI_ERR_BUFFER));
  EXPECT_EQ(buffer, std::vector<int>(3 * kCount, 1));
}

INSTANTIATE_TEST_SUITE_P(Roads, Fr23Overlap, testing::Values("exchange", "two_shot", "mpi"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace qr_test
