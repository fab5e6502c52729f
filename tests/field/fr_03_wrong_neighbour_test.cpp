// FR-03: that a mapping belongs to a peer is proved, not believed; and two jobs on one machine never meet.
// The second case is this program started twice at once by fr_03_two_jobs_test.sh, with QR_TEST_JOB telling
// them apart.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

testing::AssertionResult sum_is(const Comm& comm, float mine, float wanted, std::size_t count) {
  std::vector<float> send(count, mine), recv(count);
  const int code = sum(send.data(), recv.data(), static_cast<std::int64_t>(count), comm.get());
  if (code != MPI_SUCCESS) return succeeded(code);
  if (recv == std::vector<float>(count, wanted)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "sum is " << recv.front() << ", not " << wanted;
}

/// The rank's card names memory that it does not use itself.
TEST(Fr03WrongNeighbour, AllRanksFallBackTogether) {
  if (world_size() == 1) GTEST_SKIP() << "needs 2 ranks";
  for (const int liar : {0, 1, world_size() - 1}) {
    const std::string fault = "wrong_arena:" + std::to_string(liar);
    for (const char* directory : {"auto", "/dev/shm"}) {
      const ScopedEnv hook("QR_MPI_TEST_FAULT", fault.c_str()), quiet("QR_MPI_LOG", "0");
      const ScopedEnv road("QR_MPI_SHM_DIR", directory);
      const Comm comm;
      EXPECT_TRUE(sum_is(comm, 1, static_cast<float>(comm.size()), 10'000)) << fault;
      const Plan plan = plan_of(comm.get(), 10'000, MPI_FLOAT);
      EXPECT_EQ(plan.algorithm, "mpi") << fault;
      const int falls_back = plan.algorithm == "mpi" ? 1 : 0;
      for (const std::int64_t other : gather_numbers(falls_back, comm.get())) EXPECT_EQ(other, falls_back);
    }
  }
  const Comm comm;
  EXPECT_TRUE(sum_is(comm, 1, static_cast<float>(comm.size()), 10'000));
  if (own_road_expected()) {
    EXPECT_NE(plan_of(comm.get(), 10'000, MPI_FLOAT).algorithm, "mpi") << "the fault is gone";
  }
}

/// A thousand calls with data that only this job sends.
TEST(Fr03WrongNeighbour, AThousandCallsOfOneJobStayItsOwn) {
  allow_time(2);
  const char* text = std::getenv("QR_TEST_JOB");
  const int job = text != nullptr ? std::atoi(text) : 0;
  const Comm comm;
  Random random(static_cast<std::uint64_t>(job) + 1);
  for (int number = 0; number < 1000; ++number) {
    const auto mine = static_cast<float>(1000 * job + number % 100);
    const std::size_t count = number % 10 == 0 ? 50'000 : static_cast<std::size_t>(random.below(3000)) + 1;
    ASSERT_TRUE(sum_is(comm, mine, mine * static_cast<float>(comm.size()), count))
        << "call " << number << " of job " << job;
  }
}

}  // namespace
}  // namespace qr_test
