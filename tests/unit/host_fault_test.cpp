// What the host back end does about ranks that differ, are late, or do not come.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/host_ranks.hpp"

namespace qr::test {
namespace {

using std::chrono::milliseconds;

class HostFault : public testing::TestWithParam<int> {};

TEST_P(HostFault, AMismatchReachesEveryRankAndTheNextCallsWork) {
  constexpr std::int64_t kCount = 60000;
  const int world = GetParam();
  const Inputs<float> inputs(world, kCount);
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    const int rank = bootstrap.rank();
    std::vector<float> result(kCount);
    const auto run = [&](std::int64_t count, Algorithm algorithm, int codec) {
      return session.run(work_of(inputs.of(rank), result.data(), count, algorithm, codec));
    };
    const auto other = [](Algorithm algorithm) {
      return algorithm == Algorithm::kExchange ? Algorithm::kTwoShot : Algorithm::kExchange;
    };
    for (int round = 0; round < 40; ++round) {
      const int odd = round % world;
      const Algorithm algorithm = round % 3 == 0 ? Algorithm::kExchange : Algorithm::kTwoShot;
      // One rank differs in the count, in the codec, in the algorithm; or goes to MPI with the call.
      const std::int64_t count = round % 5 == 4 ? kCount : 100 + round;
      const std::int64_t own_count = rank == odd && round % 4 == 0 ? kCount / 2 : count;
      const Algorithm own_algorithm = rank == odd && round % 4 == 2 ? other(algorithm) : algorithm;
      const int own_codec = rank == odd && round % 4 == 1 ? 1 : 0;
      Work work = work_of(inputs.of(rank), result.data(), own_count, own_algorithm, own_codec);
      Outcome outcome;
      if (rank == odd && round % 4 == 3) {
        work.record = record_of_fallback(own_count, 77);
        outcome = session.handshake(work);
      } else {
        outcome = session.run(work);
      }
      ASSERT_EQ(outcome.verdict, Verdict::kMismatch) << "round " << round;
      ASSERT_NE(outcome.theirs.check, work.record.check);
      ASSERT_NE(outcome.peer, rank);
      ASSERT_TRUE(rank == odd || outcome.peer == odd) << outcome.peer;
      ASSERT_NE(difference_text(work.record, outcome.theirs, outcome.peer), "");
      // Straight on, with no barrier between.
      for (const std::int64_t next : {kCount, std::int64_t{50}}) {
        ASSERT_EQ(run(next, algorithm, 1).verdict, Verdict::kOk) << "round " << round;
        ASSERT_TRUE(inputs.check(result.data(), next, codec_info(1)));
      }
    }
  });
}

TEST_P(HostFault, OneMismatchAfterAnother) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(64, 1);
    for (int round = 0; round < 50; ++round) {
      const std::int64_t count = bootstrap.rank() == round % world ? 3 : 4;
      const Work work = work_of(values.data(), values.data(), count, Algorithm::kExchange, 0);
      ASSERT_EQ(session.run(work).verdict, Verdict::kMismatch) << "round " << round;
    }
    ASSERT_EQ(session.run(work_of(values.data(), values.data(), 64, Algorithm::kTwoShot, 0)).verdict,
              Verdict::kOk);
    EXPECT_EQ(values[0], static_cast<float>(world));
  });
}

TEST_P(HostFault, AMismatchDoesNotReachIntoThePreviousCall) {
  constexpr std::int64_t kCount = 4 * 2 * kPacketValues;  // four tiles of an exchange
  const int world = GetParam();
  const Inputs<float> inputs(world, kCount);
  const auto body = [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> result(kCount);
    const auto run = [&](std::int64_t count) {
      return session.run(work_of(inputs.of(bootstrap.rank()), result.data(), count, Algorithm::kExchange, 0))
          .verdict;
    };
    for (int round = 0; round < 100; ++round) {
      ASSERT_EQ(run(kCount), Verdict::kOk) << "round " << round;
      ASSERT_TRUE(inputs.check(result.data(), kCount, codec_info(0)));
      ASSERT_EQ(run(bootstrap.rank() == round % world ? 3 : 4), Verdict::kMismatch) << "round " << round;
    }
  };
  run_sessions(world, small_arenas(world), body, true);
}

/// Any ranks refuse any calls; some are still in the call before, some in the next already.
TEST_P(HostFault, RefusedCallsBetweenOthers) {
  constexpr std::int64_t kCount = 4 * 2 * kPacketValues;
  const int world = GetParam();
  const Inputs<float> inputs(world, kCount);
  const auto body = [&](Session& session, Bootstrap& bootstrap) {
    const int rank = bootstrap.rank();
    std::vector<float> result(kCount);
    std::minstd_rand common(77);
    for (int round = 0; round < 300; ++round) {
      const auto refusing = common() % 3 == 0 ? common() % (1U << world) : 0U;
      const auto refuses = [refusing](int who) { return (refusing >> who & 1U) != 0; };
      const Algorithm algorithm = common() % 2 == 0 ? Algorithm::kExchange : Algorithm::kTwoShot;
      const std::int64_t count = common() % 2 == 0 ? kCount : 100;
      const bool unchecked = common() % 4 == 0;
      if (refuses(rank)) {
        ASSERT_EQ(session.refuse(record_of_refusal(Status::kBuffer)).verdict, Verdict::kOk);
        continue;
      }
      Work work = work_of(inputs.of(rank), result.data(), count, algorithm, 0);
      if (unchecked) work.record = {};
      const Outcome outcome = session.run(work);
      if (refusing == 0) {
        ASSERT_EQ(outcome.verdict, Verdict::kOk) << "round " << round;
        ASSERT_TRUE(inputs.check(result.data(), count, codec_info(0))) << "round " << round;
      } else {
        ASSERT_EQ(outcome.verdict, Verdict::kMismatch) << "round " << round;
        ASSERT_TRUE(refuses(outcome.peer)) << outcome.peer;
        ASSERT_TRUE(is_refusal(outcome.theirs));
      }
    }
  };
  run_sessions(world, small_arenas(world), body, true);
}

TEST_P(HostFault, WithoutCheckNothingIsCompared) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(64, 1);
    Work work = work_of(values.data(), values.data(), 64, Algorithm::kExchange, 0);
    work.record = {};
    work.request.op = bootstrap.rank() == 0 ? ReduceOp::kMax : ReduceOp::kSum;
    ASSERT_EQ(session.run(work).verdict, Verdict::kOk);
  });
}

TEST_P(HostFault, AMissingRankIsNamed) {
  const int world = GetParam();
  Settings settings = small_arenas(world);
  settings.timeout_ms = 300;
  for (const Algorithm algorithm : {Algorithm::kExchange, Algorithm::kTwoShot}) {
    const int missing = world - 1;
    run_sessions(world, settings, [&](Session& session, Bootstrap& bootstrap) {
      std::vector<float> values(100000, 1);
      const Work work = work_of(values.data(), values.data(), 100000, algorithm, 0);
      ASSERT_EQ(session.run(work).verdict, Verdict::kOk);
      Outcome outcome;
      if (bootstrap.rank() != missing) {
        const auto begin = std::chrono::steady_clock::now();
        outcome = session.run(work);
        const auto waited = std::chrono::steady_clock::now() - begin;
        if (outcome.verdict == Verdict::kTimeout) {
          EXPECT_EQ(outcome.peer, missing);
          EXPECT_GE(waited, milliseconds(300));
          session.abort(outcome.verdict, outcome.peer);
        } else {
          ASSERT_EQ(outcome.verdict, Verdict::kAbort);
          EXPECT_EQ(outcome.about, missing);
          EXPECT_NE(outcome.peer, missing);
        }
        EXPECT_LT(waited, milliseconds(20000));
      }
      const auto verdicts = gather_all(bootstrap, outcome.verdict);
      EXPECT_GE(std::count(verdicts.begin(), verdicts.end(), Verdict::kTimeout), 1);
      EXPECT_EQ(verdicts[static_cast<std::size_t>(missing)], Verdict::kOk);
      // The one that comes now is told at once.
      if (bootstrap.rank() == missing) {
        outcome = session.run(work);
        EXPECT_TRUE(outcome.verdict == Verdict::kAbort || outcome.verdict == Verdict::kTimeout);
      }
    });
  }
}

/// Its peers' signals and data are all there, but they have given up on the call.
TEST_P(HostFault, ARankThatComesTooLateGetsNoResult) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    const int late = world - 1;
    std::vector<float> values(100, 1);
    const Work work = work_of(values.data(), values.data(), 100, Algorithm::kExchange, 0);
    if (bootstrap.rank() == 0) session.abort(Verdict::kTimeout, late);  // all it takes is that rank's note
    if (bootstrap.rank() != late) {
      ASSERT_EQ(session.run(work).verdict, Verdict::kAbort);
    }
    barrier(bootstrap);
    if (bootstrap.rank() != late) return;
    const Outcome outcome = session.run(work);
    EXPECT_EQ(outcome.verdict, Verdict::kAbort);
    EXPECT_EQ(outcome.peer, 0);
    EXPECT_EQ(outcome.about, late);
  });
}

TEST_P(HostFault, AnAbortEndsTheWaitsOfAll) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(100, 1);
    if (bootstrap.rank() == 0) {
      std::this_thread::sleep_for(milliseconds(100));
      session.abort(Verdict::kTimeout, world - 1);
      return;
    }
    const Outcome outcome = session.run(work_of(values.data(), values.data(), 100, Algorithm::kTwoShot, 0));
    EXPECT_EQ(outcome.verdict, Verdict::kAbort);
    EXPECT_EQ(outcome.peer, 0);
    EXPECT_EQ(outcome.about, world - 1);
  });
}

TEST_P(HostFault, ARankThatWentOnToDeviceMemoryIsNamed) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(100, 1);
    const Work work = work_of(values.data(), values.data(), 100, Algorithm::kExchange, 0);
    ASSERT_EQ(session.run(work).verdict, Verdict::kOk);
    if (bootstrap.rank() == 0) return session.note_device_call(false);
    const Outcome outcome = session.run(work);
    // Or another rank noticed first, and said so.
    if (outcome.verdict != Verdict::kAbort) {
      EXPECT_EQ(outcome.verdict, Verdict::kElsewhere);
      EXPECT_EQ(outcome.peer, 0);
    } else {
      EXPECT_EQ(outcome.about, 0);
    }
    session.abort(outcome.verdict, outcome.peer);
    EXPECT_EQ(session.abort_note().reason, static_cast<std::uint32_t>(Verdict::kElsewhere));
  });
}

/// Ranks note their calls on device memory before and after the others come to them: no difference in order.
TEST_P(HostFault, CallsOnDeviceMemoryBetweenAreNoDifference) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(100, 1);
    const Work work = work_of(values.data(), values.data(), 100, Algorithm::kTwoShot, 0);
    for (int round = 0; round < 1000; ++round) {
      if (round % 100 == bootstrap.rank()) std::this_thread::sleep_for(milliseconds(1));
      for (int call = 0; call < round % 3; ++call) session.note_device_call(false);
      ASSERT_EQ(session.run(work).verdict, Verdict::kOk) << "round " << round;
    }
  });
}

TEST_P(HostFault, ACapturedCallMayRunAnyNumberOfTimes) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(100, 1);
    if (bootstrap.rank() == 0) {
      session.note_device_call(false);  // what the others do by a graph
      std::this_thread::sleep_for(milliseconds(50));
    } else {
      session.note_device_call(true);
    }
    EXPECT_EQ(session.run(work_of(values.data(), values.data(), 100, Algorithm::kExchange, 0)).verdict,
              Verdict::kOk);
  });
}

TEST_P(HostFault, ALateRankIsWaitedFor) {
  const int world = GetParam();
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<float> values(100000, 1);
    for (const Algorithm algorithm : {Algorithm::kExchange, Algorithm::kTwoShot}) {
      std::fill(values.begin(), values.end(), 1.0F);
      if (bootstrap.rank() == world / 2) std::this_thread::sleep_for(milliseconds(200));
      ASSERT_EQ(session.run(work_of(values.data(), values.data(), 100000, algorithm, 0)).verdict,
                Verdict::kOk);
      EXPECT_EQ(values.front(), static_cast<float>(world));
      EXPECT_EQ(values.back(), static_cast<float>(world));
    }
  });
}

TEST(HostSetUp, TooSmallAnArenaIsRefusedOnAllRanks) {
  Settings settings;
  settings.arena_bytes = 64 << 10;
  run_ranks(4, [&](ThreadGroup& group, int rank) {
    ThreadBootstrap bootstrap(group, rank);
    const SessionResult made = make_host_session(bootstrap, settings);
    EXPECT_EQ(made.session, nullptr);
    EXPECT_FALSE(made.why.ok());
    const std::size_t place = made.why.text.find("arena_bytes");
    EXPECT_NE(place, std::string::npos) << made.why.text;
    EXPECT_EQ(made.why.text.find("arena_bytes", place + 1), std::string::npos) << "twice: " << made.why.text;
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, HostFault, testing::Values(2, 3, 8));

}  // namespace
}  // namespace qr::test
