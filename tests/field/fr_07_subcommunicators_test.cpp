// FR-07: sub-communicators, in any order and number, interleaved with their parent, freed and made again
// without growth.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

/// Sum over `comm` of 2^(world rank): tells who took part.
double members(MPI_Comm comm, std::int64_t count = 100) {
  const auto mine = static_cast<float>(1 << world_rank());
  std::vector<float> send(static_cast<std::size_t>(count), mine), recv(send.size());
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), count, comm)));
  for (const float value : recv) {
    if (value != recv.front()) ADD_FAILURE() << "elements differ: " << value << " and " << recv.front();
  }
  return recv.front();
}

double expected(int first, int step) {
  double total = 0;
  for (int rank = first; rank < world_size(); rank += step) total += 1 << rank;
  return total;
}

/// Every second rank, numbered backwards.
Comm every_second() { return Comm::split(MPI_COMM_WORLD, world_rank() % 2, -world_rank()); }

TEST(Fr07SubCommunicators, InterleaveWithTheirParent) {
  const Comm world;
  const Comm sub = every_second();
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(members(sub.get()), expected(world_rank() % 2, 2));
    EXPECT_EQ(members(world.get()), expected(0, 1));
  }
}

TEST(Fr07SubCommunicators, ReversedRanksAddInTheirOwnOrder) {
  const Comm backwards = Comm::split(MPI_COMM_WORLD, 0, -world_rank());
  for (const std::string& algorithm : kAlgorithms) {
    use(backwards.get(), {{"algorithm", algorithm}});
    for (const std::int64_t count : {1, 2048 * world_size() + 5})
      EXPECT_EQ(members(backwards.get(), count), expected(0, 1));
  }
}

TEST(Fr07SubCommunicators, FreedInAnotherOrderThanMade) {
  auto first = std::make_unique<Comm>();
  auto second = std::make_unique<Comm>(every_second());
  auto third = std::make_unique<Comm>();
  for (const auto* comm : {&first, &second, &third}) (void)members((*comm)->get());
  first.reset();
  EXPECT_EQ(members(second->get()), expected(world_rank() % 2, 2));
  EXPECT_EQ(members(third->get()), expected(0, 1));
  third.reset();
  EXPECT_EQ(members(second->get()), expected(world_rank() % 2, 2));
  auto fourth = std::make_unique<Comm>();
  EXPECT_EQ(members(fourth->get()), expected(0, 1));
  second.reset();
  EXPECT_EQ(members(fourth->get()), expected(0, 1));
}

/// Half of the ranks use their communicator while the others' one does not exist.
TEST(Fr07SubCommunicators, SomeRanksOnly) {
  const bool in = world_rank() % 2 == 0;
  const Comm some = Comm::split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, 0);
  if (in) {
    EXPECT_EQ(members(some.get()), expected(0, 2));
  }
  EXPECT_EQ(members(Comm().get()), expected(0, 1));
}

TEST(Fr07SubCommunicators, OneRankGetsItsInputBack) {
  const Comm alone = Comm::split(MPI_COMM_WORLD, world_rank(), 0);
  for (const char* codec : {"raw", "int3"}) {
    use(alone.get(), {{"codec", codec}});
    for (MPI_Comm comm : {alone.get(), MPI_COMM_SELF}) {
      std::vector<float> send = {1.1F, -2.2F, 3.3e38F, 0.0F}, recv(4);
      EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 4, comm)));
      EXPECT_EQ(recv, send);
      EXPECT_TRUE(succeeded(sum_in_place(send.data(), 4, comm)));
      EXPECT_EQ(recv, send);
    }
  }
}

/// A second communicator with larger messages than the first one ever had.
TEST(Fr07SubCommunicators, LargerArenaOnTheSecond) {
  const Comm small, large;
  use(small.get(), {{"arena_bytes", "1048576"}});
  use(large.get(), {{"arena_bytes", "16777216"}});
  EXPECT_EQ(members(small.get(), 200'000), expected(0, 1));
  EXPECT_EQ(members(large.get(), 2'000'000), expected(0, 1));
  EXPECT_EQ(members(small.get(), 2'000'000), expected(0, 1));
}

/// One round of what may leak: split, use, dup, use, free both.
void make_use_and_free() {
  const Comm sub = every_second();
  EXPECT_EQ(members(sub.get()), expected(world_rank() % 2, 2));
  const Comm copy = Comm::duplicate(sub.get());
  EXPECT_EQ(members(copy.get()), expected(world_rank() % 2, 2));
}

TEST(Fr07SubCommunicators, ThreeHundredRoundsDoNotGrow) {
  // Between hosts a round takes a hundred times as long.
  const int warm_up = 30, rounds = own_road_expected() ? 300 : 30;
  allow_time(3);
  EXPECT_EQ(members(MPI_COMM_WORLD), expected(0, 1));
  for (int round = 0; round < warm_up; ++round) make_use_and_free();
  must(MPI_Barrier(MPI_COMM_WORLD));
  const Resources before = resources();
  const std::set<std::string> shared_before = names_in("/dev/shm");
  must(MPI_Barrier(MPI_COMM_WORLD));
  for (int round = 0; round < rounds; ++round) make_use_and_free();
  must(MPI_Barrier(MPI_COMM_WORLD));
  EXPECT_TRUE(no_growth(before, resources()));
  EXPECT_TRUE(nothing_new_in("/dev/shm", shared_before));
  EXPECT_EQ(members(MPI_COMM_WORLD), expected(0, 1));
}

}  // namespace
}  // namespace qr_test
