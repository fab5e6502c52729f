// Status codes, the error that carries one, and agreements.
#include "lib/status.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/thread_bootstrap.hpp"

namespace qr::test {
namespace {

TEST(Status, EveryCodeHasItsOwnSentence) {
  std::set<std::string> sentences;
  for (int code = 0; code < kStatusCount; ++code) sentences.insert(message_of(static_cast<Status>(code)));
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(kStatusCount));
  EXPECT_STREQ(message_of(Status::kSuccess), "success");
  EXPECT_NE(message_of(static_cast<Status>(kStatusCount)), nullptr);
}

TEST(Status, ErrorCarriesCodeAndText) {
  try {
    throw Error(Status::kTimeout, "rank 3 did not come");
  } catch (const std::exception& caught) {
    const auto* error = dynamic_cast<const Error*>(&caught);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->status(), Status::kTimeout);
    EXPECT_STREQ(error->what(), "rank 3 did not come");
  }
}

TEST(Agreement, TheWorstVoteOfTheLowestRankWins) {
  run_ranks(5, [](ThreadGroup& group, int rank) {
    ThreadBootstrap bootstrap(group, rank);
    const auto agreed = [&](Status of_1, Status of_3) {
      const Status mine = rank == 1 ? of_1 : rank == 3 ? of_3 : Status::kSuccess;
      return agree(bootstrap, {mine, "from rank " + std::to_string(rank)});
    };
    EXPECT_TRUE(agreed(Status::kSuccess, Status::kSuccess).ok());

    const Agreement alone = agreed(Status::kSuccess, Status::kUnavailable);
    EXPECT_EQ(alone.status, Status::kUnavailable);
    EXPECT_EQ(alone.rank, 3);
    EXPECT_EQ(alone.text, "from rank 3");

    EXPECT_EQ(agreed(Status::kSystem, Status::kSystem).rank, 1);
    EXPECT_EQ(agreed(Status::kSystem, Status::kUnavailable).rank, 1);
    EXPECT_EQ(agreed(Status::kUnavailable, Status::kSystem).rank, 3);
  });
}

TEST(Agreement, LongSentencesAreCutAndNotSpoilt) {
  run_ranks(2, [](ThreadGroup& group, int rank) {
    ThreadBootstrap bootstrap(group, rank);
    const Agreement agreement = agree(bootstrap, {Status::kSystem, std::string(5000, 'x')});
    EXPECT_GT(agreement.text.size(), 400U);
    EXPECT_EQ(agreement.text.find_first_not_of('x'), std::string::npos);
  });
}

}  // namespace
}  // namespace qr::test
