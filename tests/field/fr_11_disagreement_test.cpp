// FR-11: ranks disagree about a call. All of them get an error that says what differs, and the next call
// works.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "support/buffers.hpp"
#include "support/calls.hpp"
#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

/// One rank makes one call, the others the other one; each rank in turn is the odd one.
void expect_mismatch(const Call& usual, const Call& odd, const std::vector<std::string>& words) {
  const Comm comm;
  use(comm.get(), {{"timeout_ms", "20000"}});
  EXPECT_TRUE(works(comm));
  for (int odd_rank = 0; odd_rank < comm.size(); ++odd_rank) {
    SCOPED_TRACE(testing::Message() << "odd rank " << odd_rank);
    const Stopwatch watch;
    EXPECT_TRUE(failed_with(run(comm, comm.rank() == odd_rank ? odd : usual), QR_MPI_ERR_MISMATCH));
    EXPECT_LE(watch.seconds(), 5 * slowdown()) << "an answer, not a time-out";
    for (const std::string& word : words) EXPECT_TRUE(last_error_says(word));
    EXPECT_TRUE(last_error_says("rank " + std::to_string(comm.rank())));
    EXPECT_TRUE(works(comm));
    EXPECT_TRUE(works(comm));
  }
}

class Fr11Disagreement : public testing::Test {
 protected:
  void SetUp() override {
    if (world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  }
};

TEST_F(Fr11Disagreement, Counts) {
  expect_mismatch({1024, MPI_FLOAT, MPI_SUM}, {1025, MPI_FLOAT, MPI_SUM}, {"1024", "1025"});
}
TEST_F(Fr11Disagreement, CountsFarApart) {
  expect_mismatch({1, MPI_FLOAT, MPI_SUM}, {3'000'000, MPI_FLOAT, MPI_SUM}, {"3000000"});
}
TEST_F(Fr11Disagreement, CountZeroOnOneRank) {
  expect_mismatch({100, MPI_FLOAT, MPI_SUM}, {0, MPI_FLOAT, MPI_SUM}, {"0 values", "100"});
}
TEST_F(Fr11Disagreement, DatatypesOfOneSize) {
  expect_mismatch({1024, qr_mpi_type_float16(), MPI_SUM}, {1024, qr_mpi_type_bfloat16(), MPI_SUM},
                  {"with float16", "with bfloat16"});
}
TEST_F(Fr11Disagreement, DatatypesOfDifferentSizes) {
  expect_mismatch({1024, MPI_FLOAT, MPI_SUM}, {1024, MPI_DOUBLE, MPI_SUM}, {"float32", "float64"});
}
TEST_F(Fr11Disagreement, Ops) {
  expect_mismatch({1024, MPI_FLOAT, MPI_SUM}, {1024, MPI_FLOAT, MPI_MAX}, {"sum", "max"});
}
TEST_F(Fr11Disagreement, OneRankOnTheRoadThroughMpi) {
  expect_mismatch({1024, MPI_FLOAT, MPI_SUM}, {1024, MPI_INT, MPI_SUM}, {"datatype"});
}
TEST_F(Fr11Disagreement, BothOnTheRoadThroughMpi) {
  expect_mismatch({1024, MPI_INT, MPI_SUM}, {1025, MPI_INT, MPI_SUM}, {"1024", "1025"});
  expect_mismatch({1024, MPI_INT, MPI_SUM}, {1024, MPI_LONG, MPI_SUM}, {"datatype"});
  expect_mismatch({1024, MPI_INT, MPI_SUM}, {1024, MPI_INT, MPI_MAX}, {"op"});
}

/// Datatypes under a user's op are compared by what they consist of.
TEST_F(Fr11Disagreement, UserOps) {
  MPI_Op op = MPI_OP_NULL;
  must(MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op));
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_INT, &pair));
  must(MPI_Type_commit(&pair));
  expect_mismatch({100, MPI_INT, op}, {101, MPI_INT, op}, {"bytes", "400", "404"});
  expect_mismatch({100, pair, op}, {101, MPI_INT, op}, {"800", "404"});
  expect_mismatch({100, MPI_INT, op}, {200, MPI_SHORT, op}, {"datatype"});
  expect_mismatch({100, pair, op}, {200, MPI_FLOAT, op}, {"datatype"});
  expect_mismatch({100, MPI_INT, MPI_SUM}, {100, MPI_INT, op}, {"op"});
  expect_mismatch({100, pair, op}, {0, pair, op}, {"800", "0 bytes"});
  must(MPI_Type_free(&pair));
  must(MPI_Op_free(&op));
}

TEST_F(Fr11Disagreement, OneRankChangesSettings) {
  const Comm comm;
  EXPECT_TRUE(works(comm));
  const bool odd = comm.rank() == comm.size() - 1;
  const int code =
      odd ? set_settings(comm.get(), {{"codec", "int4"}}) : run(comm, {1024, MPI_FLOAT, MPI_SUM});
  EXPECT_TRUE(failed_with(code, QR_MPI_ERR_MISMATCH));
  EXPECT_TRUE(last_error_says("qr_mpi_comm_set_info"));
  EXPECT_EQ(setting_of(comm.get(), "codec"), "raw");
  EXPECT_TRUE(works(comm));
}

/// Codecs that differ because messages on either side of min_bytes met.
TEST_F(Fr11Disagreement, Codecs) {
  const Comm comm;
  use(comm.get(), {{"codec", "int4"}, {"min_bytes", "4096"}});
  const bool odd = comm.rank() == comm.size() - 1;
  EXPECT_TRUE(failed_with(run(comm, {odd ? 1024 : 1023, MPI_FLOAT, MPI_SUM}), QR_MPI_ERR_MISMATCH));
  EXPECT_TRUE(works(comm));
}

/// Legal: the ranks need not agree on place.
TEST_F(Fr11Disagreement, InPlaceOnSomeRanksIsNone) {
  const Comm comm;
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      Guarded<float> send(5000), mixed(5000), wanted(5000);
      Input{.seed = 111}.fill(send.data(), 5000, comm.rank());
      EXPECT_TRUE(succeeded(sum(send.data(), wanted.data(), 5000, comm.get())));
      if (comm.rank() % 2 == 0) {
        mixed.assign(send.data());
        EXPECT_TRUE(succeeded(sum_in_place(mixed.data(), 5000, comm.get())));
      } else {
        EXPECT_TRUE(succeeded(sum(send.data(), mixed.data(), 5000, comm.get())));
      }
      EXPECT_TRUE(mixed.holds(wanted.data())) << codec.name << " " << algorithm;
      EXPECT_TRUE(mixed.guards_intact());
    }
  }
}

/// With checking off, a disagreement may end anyhow, but it ends.
TEST_F(Fr11Disagreement, WithoutCheckingItStillEnds) {
  const Comm comm;
  use(comm.get(), {{"check", "0"}, {"timeout_ms", "1500"}});
  EXPECT_TRUE(works(comm));
  const Stopwatch watch;
  const int code = run(comm, {comm.rank() == 0 ? 1 : 3'000'000, MPI_FLOAT, MPI_SUM});
  EXPECT_LE(watch.seconds(), 5 * slowdown());
  if (comm.rank() != 0) {
    EXPECT_TRUE(failed_with(code, QR_MPI_ERR_TIMEOUT) || failed_with(code, QR_MPI_ERR_ABORTED));
  }
}

/// A datatype may get the handle of one that was freed, on some ranks: it is another one all the same.
TEST_F(Fr11Disagreement, HandlesAreUsedAgain) {
  const Comm comm;
  MPI_Op user = MPI_OP_NULL;
  must(MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &user));
  for (int round = 0; round < 40; ++round) {
    MPI_Datatype other = MPI_DATATYPE_NULL;  // keeps a handle from coming back on one rank
    if (comm.rank() == 0 && round % 3 == 0) must(MPI_Type_contiguous(7, MPI_INT, &other));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    must(MPI_Type_contiguous(2 + round % 3, MPI_INT, &type));
    must(MPI_Type_commit(&type));
    const int send[4] = {};
    int recv[4] = {};
    EXPECT_TRUE(succeeded(qr_mpi_allreduce(send, recv, 1, type, user, comm.get())));
    must(MPI_Type_free(&type));
    if (other != MPI_DATATYPE_NULL) must(MPI_Type_free(&other));
  }
  must(MPI_Op_free(&user));
}

}  // namespace
}  // namespace qr_test
