// Model check: the real algorithms, every interleaving of 2 and 3 ranks, sequences of calls of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/support/protocol_explorer.hpp"

namespace qr::test {
namespace {

std::vector<Call> all_calls(int most_tiles) {
  std::vector<Call> calls = {{Algorithm::kMpi}};
  for (const Algorithm kind : {Algorithm::kExchange, Algorithm::kTwoShot}) {
    for (int tiles = kind == Algorithm::kExchange ? 0 : 1; tiles <= most_tiles; ++tiles)
      calls.push_back({kind, tiles});
  }
  return calls;
}

/// Explores sequences and counts what was seen.
class Tally {
 public:
  explicit Tally(const char* name) : name_(name) {}
  ~Tally() {
    std::cout << "[ states   ] " << name_ << ": " << states_ << " states of " << sequences_ << " sequences\n";
    ::testing::Test::RecordProperty(name_, std::to_string(states_));
  }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void expect_right(const std::vector<Program>& programs, const std::string& what) {
    const Explorer::Result result = Explorer(programs, kRounds).explore();
    states_ += result.states;
    ++sequences_;
    EXPECT_EQ(result.fault, "") << what << programs.size() << " ranks";
  }
  void expect_right(int world, const std::vector<Call>& calls, Epoch start = 0) {
    expect_right(record(world, calls, start), text_of(calls));
  }

 private:
  const char* name_;
  std::uint64_t states_ = 0;
  std::uint64_t sequences_ = 0;
};

void for_sequences(int length, const std::vector<Call>& choice, const auto& visit) {
  std::vector<Call> calls(static_cast<std::size_t>(length));
  const auto fill = [&](const auto& self, std::size_t place) -> void {
    if (place == calls.size()) return visit(calls);
    for (const Call& call : choice) {
      calls[place] = call;
      self(self, place + 1);
    }
  };
  fill(fill, 0);
}

TEST(Protocol, TwoRanksAllTriples) {
  Tally tally("two_ranks_triples");
  for_sequences(3, all_calls(5), [&](const std::vector<Call>& calls) { tally.expect_right(2, calls); });
}

TEST(Protocol, ThreeRanksAllPairs) {
  Tally tally("three_ranks_pairs");
  for_sequences(2, all_calls(5), [&](const std::vector<Call>& calls) { tally.expect_right(3, calls); });
}

TEST(Protocol, ThreeRanksAllTriples) {
  Tally tally("three_ranks_triples");
  for_sequences(3, all_calls(5), [&](const std::vector<Call>& calls) { tally.expect_right(3, calls); });
}

TEST(Protocol, TwoRanksSixShortCalls) {
  Tally tally("two_ranks_sextuples");
  for_sequences(6, all_calls(1), [&](const std::vector<Call>& calls) { tally.expect_right(2, calls); });
}

TEST(Protocol, FourRanksPairsOfShortCalls) {
  Tally tally("four_ranks_pairs");
  for_sequences(2, all_calls(2), [&](const std::vector<Call>& calls) { tally.expect_right(4, calls); });
}

TEST(Protocol, EpochsWrapAround) {
  Tally tally("wrap_around");
  for (const Epoch start :
       {0xffffffffU, 0xfffffffeU, 0xfffffffdU, 0xfffffffcU, 0xfffffff8U, 0x7fffffffU, 1U, 2U, 3U}) {
    for_sequences(2, all_calls(4),
                  [&](const std::vector<Call>& calls) { tally.expect_right(2, calls, start); });
  }
}

TEST(Protocol, SeveralPacketsAndShortTails) {
  Tally tally("packets_and_tails");
  std::vector<Call> choice = {{Algorithm::kMpi}};
  for (const int tiles : {1, 2, 3}) {
    choice.push_back({Algorithm::kExchange, tiles, 2, 0});
    choice.push_back({Algorithm::kTwoShot, tiles, 2, 0});
    choice.push_back({Algorithm::kTwoShot, tiles, 2, 1});
    choice.push_back({Algorithm::kTwoShot, tiles, 1, 1});
  }
  for_sequences(2, choice, [&](const std::vector<Call>& calls) { tally.expect_right(2, calls); });
  for (const int owners : {1, 2}) {
    const Call tail{Algorithm::kTwoShot, 3, 1, owners};
    tally.expect_right(3, {tail, tail});
    tally.expect_right(3, {tail, {Algorithm::kExchange, 3}});
    tally.expect_right(3, {{Algorithm::kExchange, 3}, tail});
  }
}

TEST(Protocol, AfterAMismatchTheNextCallsAreRight) {
  Tally tally("mismatches");
  const std::vector<Call> kinds = {{Algorithm::kMpi},
                                   {Algorithm::kExchange, 1},
                                   {Algorithm::kExchange, 4},
                                   {Algorithm::kTwoShot, 1},
                                   {Algorithm::kTwoShot, 4}};
  for (const int world : {2, 3}) {
    for_sequences(world, kinds, [&](const std::vector<Call>& differing) {
      if (std::count(differing.begin(), differing.end(), differing[0]) == world) return;
      for (const Call& before : {kinds[2], kinds[4]}) {
        for (const Call& after : {kinds[2], kinds[4]}) {
          tally.expect_right(record_mismatch(before, differing, after, true),
                             "mismatch of " + text_of(differing));
        }
      }
    });
  }
}

/// Any of the ranks refuse, once or in two calls that follow each other, between calls of all kinds.
TEST(Protocol, RefusedCallsLeaveTheNextOnesRight) {
  Tally tally("refusals");
  const std::vector<Call> kinds = {
      {Algorithm::kMpi}, {Algorithm::kExchange, 1}, {Algorithm::kExchange, 4}, {Algorithm::kTwoShot, 4}};
  for (const int world : {2, 3}) {
    const auto row_of = [world](unsigned ranks) {
      std::vector<bool> row;
      for (int rank = 0; rank < world; ++rank) row.push_back((ranks >> rank & 1U) != 0);
      return row;
    };
    for (unsigned first = 1; first < 1U << world; ++first) {
      for (unsigned second = 0; second < 1U << world; ++second) {
        for_sequences(3, kinds, [&](const std::vector<Call>& calls) {
          tally.expect_right(record_refusals(calls[0], calls[1], {row_of(first), row_of(second)}, calls[2]),
                             "refusals by " + std::to_string(first) + ", " + std::to_string(second) + " in " +
                                 text_of(calls));
        });
      }
    }
  }
}

TEST(Protocol, TeamsHoldWhatTheyPush) {
  for_sequences(2, all_calls(5), [&](const std::vector<Call>& calls) {
    RecordingTeam team(1, 3, 0);
    for (Call call : calls) {
      call.slots = 2;
      team.run(call);
    }
    EXPECT_TRUE(team.sound()) << text_of(calls);
  });
}

}  // namespace
}  // namespace qr::test
