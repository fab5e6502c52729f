// The host back end with threads as ranks: every codec, algorithm, world and awkward count, and calls back to
// back.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "lib/backends/host/host_team.hpp"
#include "tests/support/host_ranks.hpp"

namespace qr::test {
namespace {

constexpr Algorithm kAlgorithms[] = {Algorithm::kExchange, Algorithm::kTwoShot};
// More values than two tiles and a half of any codec in a small arena hold.
constexpr std::int64_t most_values(int world) { return 90000 * std::int64_t{world}; }

class HostSession : public testing::TestWithParam<int> {};

std::vector<std::int64_t> counts_for(std::int64_t world, std::int64_t tile) {
  std::vector<std::int64_t> counts = {1, 2, 7, 31, 32, 33};
  for (const std::int64_t edge : {std::int64_t{kPacketValues}, world * kPacketValues, tile}) {
    for (const std::int64_t off : {-1, 0, 1}) counts.push_back(edge + off);
  }
  counts.push_back(2 * tile + world * kPacketValues / 2 + 5);
  return counts;
}

template <class T>
void every_count(int world, bool in_place) {
  const std::int64_t most = most_values(world);
  const Inputs<T> inputs(world, most);
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    std::vector<T> result(static_cast<std::size_t>(most));
    for (int codec = 0; codec < codec_count(); ++codec) {
      if (packet_ops(codec, kTypeOf<T>, ReduceOp::kSum) == nullptr) continue;
      for (const Algorithm algorithm : kAlgorithms) {
        for (const std::int64_t count :
             counts_for(world, tile_values(session, algorithm, codec, kTypeOf<T>))) {
          ASSERT_LE(count, most);
          const T* input = inputs.of(bootstrap.rank());
          if (in_place) std::copy_n(input, count, result.data());
          const T* send = in_place ? result.data() : input;
          const Outcome outcome = session.run(work_of(send, result.data(), count, algorithm, codec));
          ASSERT_EQ(outcome.verdict, Verdict::kOk);
          const auto digests = gather_all(bootstrap, digest(result.data(), count));
          const std::string what = std::string(codec_info(codec).name) + " " + name_of(algorithm);
          if (bootstrap.rank() == 0) {
            EXPECT_TRUE(inputs.check(result.data(), count, codec_info(codec))) << what;
          }
          EXPECT_EQ(digests[static_cast<std::size_t>(bootstrap.rank())], digests[0])
              << what << ", " << count << " values";
        }
      }
    }
  });
}

TEST_P(HostSession, EveryCountOfFloat) { every_count<float>(GetParam(), false); }
TEST_P(HostSession, EveryCountOfFloatInPlace) { every_count<float>(GetParam(), true); }
TEST_P(HostSession, EveryCountOfBFloat16) { every_count<BFloat16>(GetParam(), false); }
TEST_P(HostSession, EveryCountOfDouble) { every_count<double>(GetParam(), false); }

/// A pause that each rank draws for itself.
void stumble(std::minstd_rand& random) {
  switch (random() % 8) {
    case 0:
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
      return;
    case 1:
    case 2:
      std::this_thread::yield();
      return;
    default:
      return;
  }
}

void mixed_calls(int world, bool drowsy) {
  constexpr int kCalls = 120;
  const std::int64_t most = most_values(world);
  const Inputs<float> inputs(world, most);
  const auto body = [&](Session& session, Bootstrap& bootstrap) {
    std::minstd_rand shared(1);  // draws the same calls on all ranks
    std::minstd_rand own(static_cast<unsigned>(bootstrap.rank() + 1));
    std::vector<float> result(static_cast<std::size_t>(most));
    std::vector<std::uint64_t> digests;
    for (int call = 0; call < kCalls; ++call) {
      const Algorithm algorithm = kAlgorithms[shared() % 2];
      const int codec = static_cast<int>(shared() % static_cast<unsigned>(codec_count()));
      const std::int64_t tile = tile_values(session, algorithm, codec, DataType::kFloat32);
      const std::int64_t limit = shared() % 3 == 0 ? 3 * tile : kPacketValues;
      const std::int64_t count = std::min(static_cast<std::int64_t>(shared()) % limit, most);
      stumble(own);
      const Work work = work_of(inputs.of(bootstrap.rank()), result.data(), count, algorithm, codec);
      const bool only_handshake = shared() % 6 == 0;
      const Outcome outcome = only_handshake ? session.handshake(work) : session.run(work);
      ASSERT_EQ(outcome.verdict, Verdict::kOk) << "call " << call;
      if (only_handshake) continue;
      if (bootstrap.rank() == call % world) {
        EXPECT_TRUE(inputs.check(result.data(), count, codec_info(codec)))
            << codec_info(codec).name << name_of(algorithm);
      }
      digests.push_back(digest(result.data(), count));
    }
    const auto all = gather_all(bootstrap, digest(digests.data(), static_cast<std::int64_t>(digests.size())));
    EXPECT_EQ(all[static_cast<std::size_t>(bootstrap.rank())], all[0]);
  };
  run_sessions(world, small_arenas(world), body, drowsy);
}

TEST_P(HostSession, MixedCallsBackToBack) { mixed_calls(GetParam(), false); }
TEST_P(HostSession, MixedCallsOfDrowsyRanks) { mixed_calls(GetParam(), true); }

TEST_P(HostSession, ExactOperations) {
  constexpr std::int64_t kCount = 5000;
  const int world = GetParam();
  const Inputs<float> inputs(world, kCount);
  run_sessions(world, small_arenas(world), [&](Session& session, Bootstrap& bootstrap) {
    for (const ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax}) {
      for (const Algorithm algorithm : kAlgorithms) {
        std::vector<float> result(kCount);
        Work work = work_of(inputs.of(bootstrap.rank()), result.data(), kCount, algorithm, 0);
        work.request.op = op;
        work.record = record_of(work.request, work.plan);
        ASSERT_EQ(session.run(work).verdict, Verdict::kOk);
        for (std::int64_t i = 0; i < kCount; ++i) {
          float wanted = inputs.of(0)[i];
          for (int rank = 1; rank < world; ++rank) {
            const float value = inputs.of(rank)[i];
            wanted = op == ReduceOp::kMin ? std::min(wanted, value) : std::max(wanted, value);
          }
          ASSERT_EQ(result[static_cast<std::size_t>(i)], wanted) << name_of(op) << " " << i;
        }
      }
    }
  });
}

TEST(HostSessionLong, ResultsThatGoPastTheCaches) {
  constexpr std::int64_t kCount = kStreamFromBytes / 4 + 12345;
  constexpr int kWorld = 3;
  const Inputs<float> inputs(kWorld, kCount);
  run_sessions(kWorld, small_arenas(kWorld), [&](Session& session, Bootstrap& bootstrap) {
    // One element from any alignment, and in place: both are allowed.
    std::vector<float> storage(kCount + 1);
    float* result = storage.data() + 1;
    for (const int codec : {0, codec_count() - 1}) {
      for (const Algorithm algorithm : kAlgorithms) {
        for (const bool in_place : {false, true}) {
          const float* input = inputs.of(bootstrap.rank());
          std::fill(storage.begin(), storage.end(), 0.0F);
          if (in_place) std::copy_n(input, kCount, result);
          const Work work = work_of<float>(in_place ? result : input, result, kCount, algorithm, codec);
          ASSERT_EQ(session.run(work).verdict, Verdict::kOk);
          const auto digests = gather_all(bootstrap, digest(result, kCount));
          EXPECT_EQ(digests[static_cast<std::size_t>(bootstrap.rank())], digests[0]);
          if (bootstrap.rank() == 0) {
            EXPECT_TRUE(inputs.check(result, kCount, codec_info(codec))) << name_of(algorithm);
          }
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, HostSession, testing::Values(2, 3, 4, 5, 7, 8));

}  // namespace
}  // namespace qr::test
