// FR-11, where a rank finds its own arguments wrong: peers that make the call do not wait for it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "support/calls.hpp"
#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

/// Calls that a rank refuses by its own arguments alone, and the error that it gives.
struct Refused {
  int error;
  std::function<int(MPI_Comm)> call;
};
std::vector<Refused> refused_calls() {
  static float values[200];
  const auto with = [](const void* send, void* recv, int count, MPI_Datatype datatype, MPI_Op op) {
    return [=](MPI_Comm comm) { return qr_mpi_allreduce(send, recv, count, datatype, op, comm); };
  };
  return {{QR_MPI_ERR_ARGUMENT, with(values, values + 100, -1, MPI_FLOAT, MPI_SUM)},
          {QR_MPI_ERR_ARGUMENT, with(values, values + 100, 100, MPI_DATATYPE_NULL, MPI_SUM)},
          {QR_MPI_ERR_ARGUMENT, with(values, values + 100, 0, MPI_FLOAT, MPI_OP_NULL)},
          {QR_MPI_ERR_BUFFER, with(values, values + 1, 100, MPI_FLOAT, MPI_SUM)},
          {QR_MPI_ERR_BUFFER, with(values, nullptr, 100, MPI_FLOAT, MPI_SUM)},
          {QR_MPI_ERR_BUFFER, with(nullptr, values, 100, MPI_INT, MPI_SUM)},
          {QR_MPI_ERR_ARGUMENT, with(MPI_IN_PLACE, values, -1, MPI_DATATYPE_NULL, MPI_OP_NULL)},
          {QR_MPI_ERR_BUFFER, with(values, values + 1, 100, MPI_INT, MPI_SUM)},
          {QR_MPI_ERR_BUFFER, with(MPI_IN_PLACE, MPI_IN_PLACE, 100, MPI_DOUBLE, MPI_MAX)}};
}

/// The others do not wait for a rank that will not come, and learn which one it is; and all go on.
void expect_refusals_to_end_calls(const Comm& comm) {
  const Call usual[] = {{1024, MPI_FLOAT, MPI_SUM},
                        {3'000'000, MPI_FLOAT, MPI_SUM},
                        {1024, MPI_INT, MPI_SUM},
                        {0, MPI_FLOAT, MPI_SUM},
                        {70'000, qr_mpi_type_bfloat16(), MPI_MAX}};
  int number = 0;
  for (const Refused& refused : refused_calls()) {
    for (int odd_rank = 0; odd_rank < comm.size(); ++odd_rank) {
      SCOPED_TRACE(testing::Message() << "call " << number << ", odd rank " << odd_rank);
      const Call& call = usual[number++ % std::size(usual)];
      const bool odd = comm.rank() == odd_rank;
      const Stopwatch watch;
      const int code = odd ? refused.call(comm.get()) : run(comm, call);
      EXPECT_LE(watch.seconds(), 5 * slowdown()) << "an answer, not a time-out";
      EXPECT_TRUE(failed_with(code, odd ? refused.error : QR_MPI_ERR_MISMATCH));
      EXPECT_TRUE(odd || last_error_says("rank " + std::to_string(odd_rank) + " refused"));
      if (number % 3 != 0) {
        EXPECT_TRUE(works(comm));
      }
    }
  }
  EXPECT_TRUE(works(comm));
}

class Fr11Refusal : public testing::Test {
 protected:
  void SetUp() override {
    if (world_size() == 1) GTEST_SKIP() << "one rank has no peers";
  }
};

TEST_F(Fr11Refusal, ARefusedCallOnOneRankEndsTheCallOfAll) {
  allow_time(2);
  const Comm comm;
  for (const char* algorithm : {"exchange", "two_shot"}) {
    use(comm.get(), {{"timeout_ms", "20000"}, {"algorithm", algorithm}});
    expect_refusals_to_end_calls(comm);
  }
}

/// Of three ranks and more, two refuse.
TEST_F(Fr11Refusal, SeveralRanksRefuse) {
  const Comm comm;
  use(comm.get(), {{"timeout_ms", "20000"}});
  for (const Refused& refused : refused_calls()) {
    const bool odd = comm.rank() % 2 == 1;
    const int code = odd ? refused.call(comm.get()) : run(comm, {5000, MPI_FLOAT, MPI_SUM});
    EXPECT_TRUE(failed_with(code, odd ? refused.error : QR_MPI_ERR_MISMATCH));
  }
  EXPECT_TRUE(works(comm));
}

/// All ranks make the same mistake, or each another one: nobody waits, and nothing is broken.
TEST_F(Fr11Refusal, CallsThatAllRanksRefuseLeaveNoTrace) {
  const Comm comm;
  use(comm.get(), {{"timeout_ms", "20000"}});
  const std::vector<Refused> calls = refused_calls();
  for (std::size_t round = 0; round < 100; ++round) {
    const Refused& refused =
        calls[(round % 2 == 0 ? round : round + std::size_t(comm.rank())) % calls.size()];
    EXPECT_TRUE(failed_with(refused.call(comm.get()), refused.error));
    if (round % 5 < 2) {
      EXPECT_TRUE(works(comm));
    }
  }
  EXPECT_TRUE(works(comm));
}

TEST_F(Fr11Refusal, ARefusalMeetsAChangeOfSettings) {
  const Comm comm;
  EXPECT_TRUE(works(comm));
  const bool odd = comm.rank() == 0;
  const Refused refused = refused_calls()[0];
  const int code = odd ? refused.call(comm.get()) : set_settings(comm.get(), {{"codec", "int4"}});
  EXPECT_TRUE(failed_with(code, odd ? refused.error : QR_MPI_ERR_MISMATCH));
  EXPECT_EQ(setting_of(comm.get(), "codec"), "raw");
  EXPECT_TRUE(works(comm));
}

/// Without checking, peers may make calls that look at no signal of this rank: a refusal must not come up in
/// a later call, and shift all that follow.
TEST_F(Fr11Refusal, WithoutCheckingARefusalLeavesNothingBehind) {
  const Comm comm;
  use(comm.get(), {{"check", "0"}, {"timeout_ms", "20000"}});
  for (const Refused& refused : refused_calls()) {
    const bool odd = comm.rank() == comm.size() - 1;
    const int code = odd ? refused.call(comm.get()) : run(comm, {0, MPI_FLOAT, MPI_SUM});
    EXPECT_TRUE(odd ? failed_with(code, refused.error) : succeeded(code));
    EXPECT_TRUE(works(comm));
  }
}

/// What only MPI knows to be wrong is found before the peers rely on the call.
TEST_F(Fr11Refusal, DatatypesAndOpsThatMpiRefuses) {
  const Comm comm;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
  MPI_Op user = MPI_OP_NULL;
  must(MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &user));
  struct Pair {
    Call wrong, right;
  };
  const Pair pairs[] = {{{1, uncommitted, user}, {2, MPI_INT, user}},
                        {{1, MPI_2INT, MPI_SUM}, {1, MPI_LONG, MPI_SUM}},
                        {{1, MPI_INT, MPI_NO_OP}, {1, MPI_INT, user}}};
  for (const Pair& pair : pairs) {
    for (int round = 0; round < 3; ++round) {
      const bool odd = comm.rank() == round % comm.size();
      const Stopwatch watch;
      const int code = run(comm, odd ? pair.wrong : pair.right);
      EXPECT_LE(watch.seconds(), 5 * slowdown()) << "an answer, not a time-out";
      if (odd) {
        EXPECT_NE(code, MPI_SUCCESS);
      } else {
        EXPECT_TRUE(failed_with(code, QR_MPI_ERR_MISMATCH));
      }
      EXPECT_TRUE(works(comm));
    }
  }
  must(MPI_Op_free(&user));
  must(MPI_Type_free(&uncommitted));
}

/// The first call of a communicator, with what a call has that nobody has made yet.
TEST_F(Fr11Refusal, NothingAtAllIsRefusedToo) {
  static float values[4];
  for (int round = 0; round < 3; ++round) {
    const Comm comm;
    const bool odd = comm.rank() == round % comm.size();
    const int code =
        odd ? qr_mpi_allreduce(MPI_IN_PLACE, values, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, comm.get())
            : run(comm, {1000, MPI_FLOAT, MPI_SUM});
    EXPECT_TRUE(failed_with(code, odd ? QR_MPI_ERR_ARGUMENT : QR_MPI_ERR_MISMATCH));
    EXPECT_TRUE(works(comm));
  }
}

/// A call that a rank has refused may be the last one of its communicator.
TEST_F(Fr11Refusal, FreedAfterARefusal) {
  for (int round = 0; round < 20; ++round) {
    const Comm comm;
    if (round % 2 == 0) {
      EXPECT_TRUE(works(comm));
    }
    const bool odd = comm.rank() == round % comm.size();
    const int code = odd ? refused_calls()[0].call(comm.get()) : run(comm, {5000, MPI_FLOAT, MPI_SUM});
    EXPECT_TRUE(failed_with(code, odd ? QR_MPI_ERR_ARGUMENT : QR_MPI_ERR_MISMATCH));
  }
}

}  // namespace
}  // namespace qr_test
