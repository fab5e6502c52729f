// Intercommunicators: each side gets the other side's sum, as from MPI_Allreduce.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// Ranks below half against the rest.
Comm two_sides() {
  const int size = world_size(), low = size / 2;
  const bool is_low = world_rank() < low;
  const Comm side = Comm::split(MPI_COMM_WORLD, is_low ? 0 : 1, world_rank());
  MPI_Comm inter = MPI_COMM_NULL;
  must(MPI_Intercomm_create(side.get(), 0, MPI_COMM_WORLD, is_low ? low : 0, 5, &inter));
  return Comm(inter);
}

TEST(Intercommunicator, GivesTheOtherSidesSum) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Comm inter = two_sides();
  const int size = world_size(), low = size / 2, rank = world_rank();
  double wanted = 0;
  for (int other = rank < low ? low : 0; other < (rank < low ? size : low); ++other) wanted += other + 1;

  std::vector<float> send(3000, static_cast<float>(rank + 1)), recv(3000);
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 3000, inter.get())));
  EXPECT_EQ(recv, std::vector<float>(3000, static_cast<float>(wanted)));

  std::vector<BFloat16> send16(77, rounded<BFloat16>(rank + 1)), recv16(77);
  EXPECT_TRUE(succeeded(sum(send16.data(), recv16.data(), 77, inter.get())));
  for (const BFloat16& value : recv16) ASSERT_EQ(value_of(value), wanted);

  std::vector<int> send_int(5, rank + 1), recv_int(5);
  EXPECT_TRUE(
      succeeded(qr_mpi_allreduce(send_int.data(), recv_int.data(), 5, MPI_INT, MPI_SUM, inter.get())));
  EXPECT_EQ(recv_int, std::vector<int>(5, static_cast<int>(wanted)));
  EXPECT_TRUE(succeeded(qr_mpi_allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, inter.get())));
}

TEST(Intercommunicator, IsPlannedToGoThroughMpi) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Comm inter = two_sides();
  EXPECT_EQ(plan_of(inter.get(), 3000, MPI_FLOAT).algorithm, "mpi");
}

TEST(Intercommunicator, RefusesInPlace) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Comm inter = two_sides();
  float value = 1;
  EXPECT_NE(qr_mpi_allreduce(MPI_IN_PLACE, &value, 1, MPI_FLOAT, MPI_SUM, inter.get()), MPI_SUCCESS);
}

}  // namespace
}  // namespace qr_test
