// FR-22: a process that used the library forks. The child's end does not harm the parent; the child gets
// errors, no crash.
#include <gtest/gtest.h>
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

int sum_of_ones(MPI_Comm comm) {
  const std::vector<float> ones(5000, 1);
  std::vector<float> recv(5000);
  const int code = sum(ones.data(), recv.data(), 5000, comm);
  if (code == MPI_SUCCESS) {
    EXPECT_EQ(recv, std::vector<float>(5000, static_cast<float>(world_size())));
  }
  return code;
}

void a_hundred_right_calls(MPI_Comm comm) {
  for (int repeat = 0; repeat < 100; ++repeat) EXPECT_TRUE(succeeded(sum_of_ones(comm)));
}

class Fr22Fork : public testing::Test {
 protected:
  void SetUp() override { EXPECT_TRUE(succeeded(sum_of_ones(comm_.get()))); }
  Comm comm_;
};

TEST_F(Fr22Fork, AChildThatExitsRunsItsHandlersAndHarmsNobody) {
  const int code = in_child([]() -> int { std::exit(0); });
  EXPECT_EQ(code, 0);
  a_hundred_right_calls(comm_.get());
}

TEST_F(Fr22Fork, AShellCommandHarmsNobody) {
  EXPECT_EQ(std::system("true"), 0);
  a_hundred_right_calls(comm_.get());
}

/// The child has the parent's mappings and must not write into the peers' memory.
TEST_F(Fr22Fork, AChildThatCallsTheLibraryGetsAnError) {
  constexpr int kGotError = 17, kGotSuccess = 18, kNoText = 19;
  const int code = in_child([this] {
    std::vector<float> ones(5000, 1000), recv(5000);
    for (int repeat = 0; repeat < 3; ++repeat) {
      if (sum(ones.data(), recv.data(), 5000, comm_.get()) == MPI_SUCCESS) return kGotSuccess;
    }
    return *qr_mpi_last_error() != '\0' ? kGotError : kNoText;
  });
  EXPECT_EQ(code, kGotError);
  a_hundred_right_calls(comm_.get());
}

TEST_F(Fr22Fork, AChildThatIsKilledHarmsNobody) {
  const int code = in_child([]() -> int { std::abort(); });
  EXPECT_EQ(code, 128 + SIGABRT);
  a_hundred_right_calls(comm_.get());
}

}  // namespace
}  // namespace qr_test
