// Right sums on the road that the machine allows. QR_TEST_ROAD says which one that must be: own (the
// default), or mpi where ranks share no memory. The scripts beside this file start it under such
// circumstances.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// Sums of small integers, which every road must give exactly.
template <class T>
void expect_exact_sums(const Comm& comm) {
  const Input input{.seed = 61, .pattern = Pattern::kIntegers};
  for (const std::int64_t count : {1, 31, 2048, 100'003}) {
    std::vector<T> send(static_cast<std::size_t>(count)), recv(send.size());
    input.fill(send.data(), count, comm.rank());
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), count, comm.get())));
    int wrong = 0;
    for (std::int64_t index = 0; index < count; ++index) {
      double wanted = 0;
      for (int rank = 0; rank < comm.size(); ++rank) wanted += input.real(rank, index);
      wrong += value_of(recv[static_cast<std::size_t>(index)]) != wanted;
    }
    EXPECT_EQ(wrong, 0) << Format<T>::kName << ", of " << count;
    EXPECT_TRUE(equal_on_all_ranks(recv.data(), recv.size() * sizeof(T), comm.get()));
  }
}

TEST(Road, GivesExactSumsOfEveryType) {
  const Comm comm;
  for_all_types([&]<class T>() { expect_exact_sums<T>(comm); });
}

TEST(Road, IsTheOneExpected) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank needs none";
  const Plan plan = plan_of(comm.get(), 10'000, MPI_FLOAT);
  EXPECT_EQ(plan.algorithm != "mpi", own_road_expected()) << plan.algorithm << ": " << plan.reason;
}

TEST(Road, IsPlannedWithAReasonWhateverIsAsked) {
  const Comm comm;
  for (const MPI_Count count : {0, 1, 1000, 100'000'000}) {
    for (MPI_Datatype type : {MPI_FLOAT, MPI_DOUBLE, qr_mpi_type_bfloat16(), MPI_INT}) {
      const Plan plan = plan_of(comm.get(), count, type);
      EXPECT_FALSE(plan.reason.empty()) << count;
      EXPECT_EQ(plan.codec, "raw");
    }
  }
  EXPECT_TRUE(succeeded(qr_mpi_comm_plan(comm.get(), 1, MPI_FLOAT, MPI_SUM, nullptr, nullptr, nullptr)));
}

/// Where the own road is closed, codecs and algorithms may still be named: calls are exact then.
TEST(Road, TakesSettingsEitherWay) {
  const Comm comm;
  for (const std::string& algorithm : kAlgorithms) {
    use(comm.get(), {{"codec", codecs().back().name}, {"algorithm", algorithm}});
    std::vector<float> ones(5000, 1), recv(5000);
    EXPECT_TRUE(succeeded(sum(ones.data(), recv.data(), 5000, comm.get())));
    EXPECT_TRUE(equal_on_all_ranks(recv.data(), recv.size() * sizeof(float), comm.get()));
    if (!own_road_expected()) {
      EXPECT_EQ(recv, std::vector<float>(5000, static_cast<float>(comm.size())));
    }
  }
}

}  // namespace
}  // namespace qr_test
