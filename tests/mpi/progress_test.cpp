// MPI goes on while the library waits: messages that need their sender's help arrive, so no program deadlocks
// by mixing.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

constexpr int kBytes = 8 << 20;  // far beyond what MPI sends without the receiver's word

class Progress : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (world_size() == 1) GTEST_SKIP() << "needs 2 ranks";
    use(comm_.get(), {{"algorithm", GetParam()}, {"timeout_ms", "30000"}});
    EXPECT_TRUE(succeeded(reduce()));
  }
  int reduce() {
    const std::vector<float> ones(5000, 1);
    std::vector<float> recv(5000);
    const int code = sum(ones.data(), recv.data(), 5000, comm_.get());
    EXPECT_EQ(recv, std::vector<float>(5000, static_cast<float>(comm_.size())));
    return code;
  }
  Comm comm_;
};

/// The sender waits in the reduction while the last rank still waits for the message.
TEST_P(Progress, OfASendWhileItsReceiverIsLate) {
  std::vector<char> message(kBytes, static_cast<char>(comm_.rank() + 1));
  const int last = comm_.size() - 1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (comm_.rank() == 0) must(MPI_Isend(message.data(), kBytes, MPI_CHAR, last, 3, MPI_COMM_WORLD, &request));
  if (comm_.rank() == last)
    must(MPI_Recv(message.data(), kBytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  EXPECT_TRUE(succeeded(reduce()));
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (comm_.rank() == last) {
    EXPECT_EQ(message, std::vector<char>(kBytes, 1));
  }
}

/// The receiver has posted its buffer and waits in the reduction; the sender sends before it comes.
TEST_P(Progress, OfAReceiveWhileItsSenderIsLate) {
  std::vector<char> message(kBytes, static_cast<char>(comm_.rank() + 1));
  const int last = comm_.size() - 1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (comm_.rank() == last) must(MPI_Irecv(message.data(), kBytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &request));
  if (comm_.rank() == 0) must(MPI_Ssend(message.data(), kBytes, MPI_CHAR, last, 4, MPI_COMM_WORLD));
  EXPECT_TRUE(succeeded(reduce()));
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (comm_.rank() == last) {
    EXPECT_EQ(message, std::vector<char>(kBytes, 1));
  }
}

/// The library's own messages are not mistaken for the program's, whatever tag and source the program asks
/// for.
TEST_P(Progress, WithoutMixingUpMessages) {
  int mine = comm_.rank(), theirs = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Irecv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &request));
  EXPECT_TRUE(succeeded(set_settings(comm_.get(), {{"timeout_ms", "40000"}})));
  EXPECT_TRUE(succeeded(reduce()));
  const int right = (comm_.rank() + 1) % comm_.size(),
            left = (comm_.rank() + comm_.size() - 1) % comm_.size();
  must(MPI_Send(&mine, 1, MPI_INT, right, 9, comm_.get()));
  MPI_Status status;
  must(MPI_Wait(&request, &status));
  EXPECT_EQ(theirs, left);
  EXPECT_EQ(status.MPI_TAG, 9);
}

INSTANTIATE_TEST_SUITE_P(Roads, Progress, testing::Values("exchange", "two_shot", "mpi"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace qr_test
