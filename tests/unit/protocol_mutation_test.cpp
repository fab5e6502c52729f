// The model check checked: protocols with one habit broken are found wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/protocol_explorer.hpp"

namespace qr::test {
namespace {

std::string fault_of(const std::vector<Program>& programs, Epoch rounds = kRounds) {
  return Explorer(programs, rounds).explore().fault;
}

const std::vector<Call> kLongExchange = {{Algorithm::kExchange, 7}};
const std::vector<Call> kLongTwoShot = {{Algorithm::kTwoShot, 7}};

TEST(ProtocolMutation, ThreeRoundsAreTooFew) {
  for (const int world : {2, 3}) {
    EXPECT_NE(fault_of(record(world, kLongExchange), 3), "");
    EXPECT_NE(fault_of(record(world, {{Algorithm::kExchange, 2}, {Algorithm::kExchange, 2}}), 3), "");
    // By itself two_shot would do with three: it waits before it signals again.
    EXPECT_NE(fault_of(record(world, kLongTwoShot), 2), "");
  }
}

TEST(ProtocolMutation, LeavingAWaitAtTheFirstPeerThatDiffersIsFound) {
  const Call call{Algorithm::kExchange, 4};
  EXPECT_NE(fault_of(record_mismatch(call, {call, call, {Algorithm::kTwoShot, 4}}, call, false)), "");
}

/// Rank 0's program without its k-th event of that kind; false if there is no such event.
bool erase(std::vector<Program>& programs, Event::Kind kind, int k) {
  Program& program = programs[0];
  for (auto event = program.begin(); event != program.end(); ++event) {
    if (event->kind == kind && k-- == 0) {
      program.erase(event);
      return true;
    }
  }
  return false;
}

TEST(ProtocolMutation, EverySkippedWaitIsFound) {
  for (const int world : {2, 3}) {
    for (const std::vector<Call>& calls : {kLongExchange, kLongTwoShot}) {
      int k = 0;
      for (std::vector<Program> programs = record(world, calls); erase(programs, Event::Kind::kWait, k);
           ++k) {
        EXPECT_NE(fault_of(programs), "") << text_of(calls) << "wait " << k;
        programs = record(world, calls);
      }
      EXPECT_EQ(k, calls == kLongExchange ? 7 : 8);
    }
  }
}

TEST(ProtocolMutation, EveryLostSignalIsFound) {
  for (const std::vector<Call>& calls : {kLongExchange, kLongTwoShot}) {
    int k = 0;
    for (std::vector<Program> programs = record(2, calls); erase(programs, Event::Kind::kSignal, k); ++k) {
      EXPECT_NE(fault_of(programs), "") << text_of(calls) << "signal " << k;
      programs = record(2, calls);
    }
    EXPECT_GE(k, 7);
  }
}

/// Moves rank 0's events of one kind, ring and epoch to where `place` says, or right behind its signals of an
/// epoch.
void move_events(Program& program, Event::Kind kind, Ring ring, Epoch epoch, Epoch behind_signal) {
  const auto wanted = [&](const Event& event) {
    return event.kind == kind && event.ring == ring && event.epoch == epoch;
  };
  Program moved;
  std::copy_if(program.begin(), program.end(), std::back_inserter(moved), wanted);
  program.erase(std::remove_if(program.begin(), program.end(), wanted), program.end());
  const auto last = std::find_if(program.rbegin(), program.rend(), [&](const Event& event) {
    return event.kind == Event::Kind::kSignal && event.epoch == behind_signal;
  });
  program.insert(last.base(), moved.begin(), moved.end());
}

TEST(ProtocolMutation, PushBehindItsSignalIsFound) {
  for (const int world : {2, 3}) {
    for (const std::vector<Call>& calls : {kLongExchange, kLongTwoShot}) {
      for (Epoch epoch = 1; epoch <= 6; ++epoch) {
        std::vector<Program> programs = record(world, calls);
        move_events(programs[0], Event::Kind::kPush, Ring::kScatter, epoch, epoch);
        EXPECT_NE(fault_of(programs), "") << text_of(calls) << "scatter " << epoch;
      }
    }
    for (Epoch epoch = 2; epoch <= 8; ++epoch) {
      std::vector<Program> programs = record(world, kLongTwoShot);
      move_events(programs[0], Event::Kind::kPush, Ring::kGather, epoch, epoch);
      EXPECT_NE(fault_of(programs), "") << "gather " << epoch;
    }
  }
}

/// A rank that refuses a call may not meet the others before they have come to it: they may still be in the
/// one before.
TEST(ProtocolMutation, ARefusalThatMeetsThePeersAtOnceIsFound) {
  const Call call{Algorithm::kExchange, 4};
  for (const int world : {2, 3}) {
    std::vector<bool> refused(static_cast<std::size_t>(world));
    refused[0] = true;
    std::vector<Program> programs = record_refusals(call, call, {refused}, call);
    EXPECT_EQ(fault_of(programs), "");
    constexpr Epoch kRefused = 5;
    move_events(programs[0], Event::Kind::kSignal, Ring::kScatter, kRefused + 2, kRefused);
    EXPECT_NE(fault_of(programs), "");
  }
}

TEST(ProtocolMutation, ReadBehindTheNextButOneSignalIsFound) {
  for (const int world : {2, 3}) {
    for (const std::vector<Call>& calls : {kLongExchange, kLongTwoShot}) {
      for (Epoch epoch = 1; epoch <= 3; ++epoch) {
        std::vector<Program> programs = record(world, calls);
        move_events(programs[0], Event::Kind::kRead, Ring::kScatter, epoch, epoch + 2);
        EXPECT_NE(fault_of(programs), "") << text_of(calls) << "epoch " << epoch;
      }
    }
  }
}

TEST(ProtocolMutation, PushThatDoesNotWaitForTheLastButOneSignalIsFound) {
  for (const int world : {2, 3}) {
    for (Epoch epoch = 5; epoch <= 7; ++epoch) {
      std::vector<Program> programs = record(world, kLongExchange);
      move_events(programs[0], Event::Kind::kPush, Ring::kScatter, epoch, epoch - 2);
      EXPECT_NE(fault_of(programs), "") << "epoch " << epoch;
    }
  }
}

}  // namespace
}  // namespace qr::test
