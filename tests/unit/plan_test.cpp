// The plan: what is chosen for every combination, where it changes, and that nothing else has a say.
#include "lib/plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"
#include "lib/crossover.hpp"

namespace qr::test {
namespace {

constexpr DataType kTypes[] = {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat32,
                               DataType::kFloat64};
constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax};
constexpr AlgorithmChoice kChoices[] = {AlgorithmChoice::kAuto, AlgorithmChoice::kExchange,
                                        AlgorithmChoice::kTwoShot, AlgorithmChoice::kMpi};

Facts facts_of(int world, bool fast_path = true) {
  return {.world = world,
          .fast_path = fast_path,
          .region_bytes = 64 << 10,
          .why_not = fast_path ? "" : "several nodes"};
}

Settings settings_of(const char* codec, AlgorithmChoice algorithm = AlgorithmChoice::kAuto) {
  Settings settings;
  settings.codec = codec;
  settings.algorithm = algorithm;
  return settings;
}

bool operator==(const Plan& a, const Plan& b) {
  return a.algorithm == b.algorithm && a.codec == b.codec && a.reason == b.reason;
}

std::vector<std::string> all_codecs() {
  std::vector<std::string> names = {"auto"};
  for (int codec = 0; codec < codec_count(); ++codec) names.emplace_back(codec_info(codec).name);
  return names;
}

TEST(Plan, EveryCombinationIsSound) {
  for (const std::string& name : all_codecs()) {
    for (const AlgorithmChoice choice : kChoices) {
      const Settings settings = settings_of(name.c_str(), choice);
      for (const int world : {1, 2, 3, 4, 8, 64, 256}) {
        for (const bool fast_path : {true, false}) {
          for (const DataType type : kTypes) {
            for (const ReduceOp op : kOps) {
              for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2048},
                                               std::int64_t{1} << 20, std::int64_t{1} << 40, INT64_MAX}) {
                const Request request{count, type, op};
                const Facts facts = facts_of(world, fast_path);
                const Plan plan = make_plan(request, facts, settings);
                EXPECT_STRNE(plan.reason, "");
                EXPECT_TRUE(plan == make_plan(request, facts, settings)) << "not pure";
                const bool to_mpi = world > 1 && (!fast_path || choice == AlgorithmChoice::kMpi);
                ASSERT_EQ(plan.algorithm == Algorithm::kMpi, to_mpi);
                const bool lossy_allowed =
                    world > 1 && !to_mpi && op == ReduceOp::kSum && type != DataType::kFloat64;
                const auto width = static_cast<std::int64_t>(element_bytes(type));
                const std::int64_t from = host_crossover::lossy_from_bytes(world, type);
                const bool pays = from != kNever && count >= from / width;
                const std::string lossy = name != "auto" ? name : pays ? settings.auto_codec : "raw";
                const int wanted = lossy_allowed ? find_codec(lossy.c_str()) : 0;
                ASSERT_EQ(plan.codec, wanted) << name << " " << name_of(type) << " " << name_of(op);
                if (to_mpi || world == 1) continue;
                ASSERT_TRUE(choice != AlgorithmChoice::kExchange || plan.algorithm == Algorithm::kExchange);
                ASSERT_TRUE(choice != AlgorithmChoice::kTwoShot || plan.algorithm == Algorithm::kTwoShot);
                ASSERT_NE(packet_ops(plan.codec, type, op), nullptr);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Plan, ReasonsSaySomething) {
  const Request floats{1000, DataType::kFloat32, ReduceOp::kSum};
  EXPECT_STREQ(make_plan(floats, facts_of(1), {}).reason, "a single rank has nothing to add");
  EXPECT_STREQ(make_plan(floats, facts_of(4, false), {}).reason, "no shared memory between all ranks");
  EXPECT_STREQ(make_plan(floats, facts_of(4), settings_of("raw", AlgorithmChoice::kMpi)).reason,
               "algorithm=mpi was asked for");
  const Request doubles{1000, DataType::kFloat64, ReduceOp::kSum};
  EXPECT_STREQ(make_plan(doubles, facts_of(4), settings_of("int8")).reason,
               "lossy codecs cover sums of 16- and 32-bit floats only");
}

TEST(Plan, MinBytesKeepsShortMessagesExact) {
  Settings settings = settings_of("int8");
  settings.min_bytes = 4000;
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    const std::int64_t first = 4000 / static_cast<std::int64_t>(element_bytes(type));
    EXPECT_EQ(make_plan({first - 1, type, ReduceOp::kSum}, facts_of(2), settings).codec, 0);
    EXPECT_EQ(make_plan({first, type, ReduceOp::kSum}, facts_of(2), settings).codec, find_codec("int8"));
  }
}

TEST(Plan, AutoTakesTheLossyCodecFromItsCrossoverOn) {
  const Settings settings = settings_of("auto");
  for (const DataType type : {DataType::kFloat16, DataType::kFloat32}) {
    const auto width = static_cast<std::int64_t>(element_bytes(type));
    for (const int world : {2, 3, 8}) {
      const std::int64_t from = host_crossover::lossy_from_bytes(world, type);
      const std::int64_t below = std::min<std::int64_t>(from / width - 1, std::int64_t{1} << 50);
      EXPECT_EQ(make_plan({below, type, ReduceOp::kSum}, facts_of(world), settings).codec, 0);
      if (from == kNever) continue;
      const Request above{from / width + 1, type, ReduceOp::kSum};
      EXPECT_EQ(make_plan(above, facts_of(world), settings).codec, find_codec("int8"));
    }
  }
}

/// Counts below `limit` never go by two_shot, counts from there on always.
void expect_crossover(int world, const char* codec, std::int64_t limit) {
  const auto takes_two_shot = [&](std::int64_t count) {
    const Plan plan =
        make_plan({count, DataType::kFloat32, ReduceOp::kSum}, facts_of(world), settings_of(codec));
    return plan.algorithm == Algorithm::kTwoShot;
  };
  for (std::int64_t count = 1; count < limit; count += std::max<std::int64_t>(1, limit / 100))
    EXPECT_FALSE(takes_two_shot(count));
  EXPECT_FALSE(takes_two_shot(limit - 1)) << world << " ranks, " << codec;
  EXPECT_TRUE(takes_two_shot(limit)) << world << " ranks, " << codec;
  for (std::int64_t count = limit; count < INT64_MAX / 4; count *= 3) EXPECT_TRUE(takes_two_shot(count));
}

TEST(Plan, TwoShotFromItsCrossoverOn) {
  for (const int world : {2, 3, 4, 8, 100}) {
    expect_crossover(world, "raw", (host_crossover::two_shot_from_bytes(world, true) + 3) / 4);
    if (world == 2) continue;
    expect_crossover(world, "int8", (host_crossover::two_shot_from_bytes(world, false) + 3) / 4);
  }
}

TEST(Plan, TwoRanksExchangeLossyCodesAtEverySize) {
  for (std::int64_t count = 1; count < INT64_MAX / 4; count *= 3) {
    const Plan plan =
        make_plan({count, DataType::kFloat16, ReduceOp::kSum}, facts_of(2), settings_of("int8"));
    EXPECT_EQ(plan.algorithm, Algorithm::kExchange) << count;
  }
}

TEST(Plan, PacketsThatDoNotFitGoToMpi) {
  Facts facts = facts_of(2);
  facts.region_bytes = 4096;
  EXPECT_EQ(make_plan({10, DataType::kFloat32, ReduceOp::kSum}, facts, {}).algorithm, Algorithm::kMpi);
  EXPECT_NE(make_plan({10, DataType::kFloat16, ReduceOp::kSum}, facts, {}).algorithm, Algorithm::kMpi);
  EXPECT_NE(make_plan({10, DataType::kFloat32, ReduceOp::kSum}, facts, settings_of("int8")).algorithm,
            Algorithm::kMpi);
}

/// Prints and returns the nanoseconds of a plan.
double time_plans(const Facts& facts, const Settings& settings) {
  constexpr int kPlans = 200000;
  std::int64_t used = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kPlans; ++i)
    used += make_plan({i, DataType::kFloat32, ReduceOp::kSum}, facts, settings).codec;
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(used, 0);
  std::cout << "[ time     ] " << time.count() / kPlans << " ns a plan\n";
  return time.count() / kPlans;
}

TEST(Plan, CostsNothingToSpeakOf) {
  constexpr double kSane = 20000;  // ns, for debug builds and sanitizers on busy machines
  EXPECT_LT(time_plans(facts_of(8), settings_of(codec_info(codec_count() - 1).name)), kSane);
  Facts facts = facts_of(8);
  facts.memory = Memory::kDevice;
  facts.flagged_blocks = 64;
  facts.tuning = built_in_tuning("NVIDIA H200");
  EXPECT_LT(time_plans(facts, settings_of("auto")), kSane);
}

}  // namespace
}  // namespace qr::test
