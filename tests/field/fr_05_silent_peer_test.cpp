// FR-05: a peer stops, is late or never calls. The others get an error that names it, in time, and nobody
// hangs.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr double kLimitSeconds = 5;

/// One way that calls can take, with the report's time-out of 2 s once and a shorter one elsewhere.
struct Road {
  const char* algorithm;
  const char* codec;
  int timeout_ms;
};
void PrintTo(const Road& road, std::ostream* out) { *out << road.algorithm << ' ' << road.codec; }

/// The world, its silent rank, and the others' way to talk about it.
struct Stage {
  Stage() : victim(std::min(2, world_size() - 1)), is_victim(world_rank() == victim) {
    others = Comm::split(MPI_COMM_WORLD, is_victim ? 1 : 0, world_rank());
  }
  Comm comm;
  Comm others;
  int victim;
  bool is_victim;
};

int call(const Comm& comm, int count = 5000) {
  std::vector<float> ones(static_cast<std::size_t>(count), 1), recv(ones.size());
  const int code = sum(ones.data(), recv.data(), count, comm.get());
  if (code == MPI_SUCCESS) {
    EXPECT_EQ(recv, std::vector<float>(ones.size(), static_cast<float>(comm.size())));
  }
  return code;
}

void ten_good_calls(const Comm& comm, const Road& road) {
  use(comm.get(), {{"timeout_ms", std::to_string(static_cast<int>(road.timeout_ms * slowdown()))},
                   {"codec", road.codec},
                   {"algorithm", road.algorithm}});
  for (int repeat = 0; repeat < 10; ++repeat) ASSERT_TRUE(succeeded(call(comm)));
}

/// What survivors must see: one error in time that names the victim, then immediate ones.
void expect_error_in_time(const Stage& stage) {
  const Stopwatch watch;
  const int code = call(stage.comm);
  EXPECT_LE(watch.seconds(), kLimitSeconds * slowdown());
  EXPECT_TRUE(failed_with(code, QR_MPI_ERR_TIMEOUT) || failed_with(code, QR_MPI_ERR_ABORTED))
      << qr_mpi_last_error();
  EXPECT_TRUE(last_error_says("rank " + std::to_string(stage.victim)));
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Stopwatch again;
    EXPECT_TRUE(failed_with(call(stage.comm), QR_MPI_ERR_BROKEN));
    EXPECT_LE(again.seconds(), 0.5 * slowdown());
    EXPECT_TRUE(last_error_says("rank " + std::to_string(stage.victim))) << "why it is broken";
  }
}

/// What the silent rank must see when it calls at last: that the others gave up on it, at once, and so from
/// then on. Its first call may still find all that it was sent, and give the right sum.
void expect_the_news(const Stage& stage) {
  const Stopwatch watch;
  int code = call(stage.comm);
  if (code == MPI_SUCCESS) code = call(stage.comm);
  EXPECT_TRUE(failed_with(code, QR_MPI_ERR_ABORTED));
  EXPECT_LE(watch.seconds(), 1 * slowdown());
  EXPECT_TRUE(last_error_says("rank " + std::to_string(stage.victim)));
  EXPECT_TRUE(failed_with(call(stage.comm), QR_MPI_ERR_BROKEN));
}

class Fr05SilentPeer : public testing::TestWithParam<Road> {};

TEST_P(Fr05SilentPeer, StoppedRankIsNamedInTimeAndFindsOutLater) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  const std::vector<pid_t> processes = process_ids(MPI_COMM_WORLD);
  const pid_t silent = processes[static_cast<std::size_t>(stage.victim)];
  if (stage.is_victim) {
    stop_self();
    expect_the_news(stage);
    return;
  }
  EXPECT_TRUE(wait_until_stopped(silent));
  expect_error_in_time(stage);
  must(MPI_Barrier(stage.others.get()));
  if (stage.others.rank() == 0) resume(silent);
}

TEST_P(Fr05SilentPeer, RankThatNeverCallsIsNamedInTime) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  if (!stage.is_victim) expect_error_in_time(stage);
  // Only the communicator is lost: the process, MPI and other communicators go on.
  must(MPI_Barrier(MPI_COMM_WORLD));
  if (stage.is_victim) expect_the_news(stage);
  const Comm fresh;
  EXPECT_TRUE(succeeded(call(fresh)));
}

TEST_P(Fr05SilentPeer, LateRankMakesEverybodySucceed) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  if (stage.is_victim) sleep_ms(GetParam().timeout_ms / 2);
  EXPECT_TRUE(succeeded(call(stage.comm)));
  EXPECT_TRUE(succeeded(call(stage.comm)));
}

/// Changing settings is a collective too, and MPI, which it takes, knows no time-out.
TEST_P(Fr05SilentPeer, SettingsOfALostCommunicatorAreRefused) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  if (!stage.is_victim) expect_error_in_time(stage);
  must(MPI_Barrier(MPI_COMM_WORLD));
  const Stopwatch watch;
  const int code = set_settings(stage.comm.get(), {{"codec", "int8"}});
  EXPECT_TRUE(failed_with(code, stage.is_victim ? QR_MPI_ERR_ABORTED : QR_MPI_ERR_BROKEN));
  EXPECT_LE(watch.seconds(), 1 * slowdown());
}

TEST_P(Fr05SilentPeer, ChangingSettingsAloneEndsInTime) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  if (!stage.is_victim) {
    const Stopwatch watch;
    EXPECT_FALSE(set_settings(stage.comm.get(), {{"codec", "int8"}}) == MPI_SUCCESS);
    EXPECT_LE(watch.seconds(), kLimitSeconds * slowdown());
    EXPECT_TRUE(last_error_says("rank " + std::to_string(stage.victim)));
  }
  must(MPI_Barrier(MPI_COMM_WORLD));
}

/// A silent rank while long messages are under way: many steps, of which the first ones may work.
TEST_P(Fr05SilentPeer, LongMessagesEndInTimeToo) {
  const Stage stage;
  ten_good_calls(stage.comm, GetParam());
  if (!stage.is_victim) {
    const Stopwatch watch;
    EXPECT_FALSE(call(stage.comm, 4'000'000) == MPI_SUCCESS);
    EXPECT_LE(watch.seconds(), kLimitSeconds * slowdown());
    EXPECT_TRUE(last_error_says("rank " + std::to_string(stage.victim)));
  }
}

INSTANTIATE_TEST_SUITE_P(Roads, Fr05SilentPeer,
                         testing::Values(Road{"exchange", "raw", 2000}, Road{"two_shot", "raw", 500},
                                         Road{"two_shot", "int4", 500}, Road{"mpi", "raw", 500}),
                         [](const auto& test) {
                           return std::string(test.param.algorithm) + "_" + test.param.codec;
                         });

}  // namespace
}  // namespace qr_test
