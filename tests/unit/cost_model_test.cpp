// The model behind plans in device memory, and the plans: sane, monotone, equal on all ranks, near what was
// measured, and within what the arenas have room for.
#include "lib/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/packet_ops.hpp"
#include "lib/plan.hpp"
#if defined(QR_WITH_DEVICE)
#include "kernels/gpu/gpu_kernels.hpp"
#endif

namespace qr::test {
namespace {

constexpr Form kForms[] = {Form::kFlagged, Form::kExchange, Form::kTwoShot};
constexpr DataType kTypes[] = {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat32};
constexpr const char* kDevices[] = {"NVIDIA H200", "gfx942", "gfx950", "another"};
constexpr std::int64_t kMost = std::int64_t{1} << 33;

Facts facts_of(int world, const Tuning& tuning) {
  Facts facts;
  facts.world = world;
  facts.memory = Memory::kDevice;
  facts.fast_path = true;
  facts.flagged_blocks = 512 / world;
  facts.tuning = tuning;
  return facts;
}

Settings settings_of(const std::string& codec, AlgorithmChoice algorithm = AlgorithmChoice::kAuto) {
  Settings settings;
  settings.codec = codec;
  settings.algorithm = algorithm;
  return settings;
}

/// 1, 2, 3, 4, 6, 8, 12, ...
std::vector<std::int64_t> counts() {
  std::vector<std::int64_t> list;
  for (std::int64_t count = 1; count <= kMost; count *= 2) {
    list.push_back(count);
    list.push_back(count + count / 2 + 1);
  }
  std::sort(list.begin(), list.end());
  return list;
}

TEST(CostModel, IsFiniteAndGrowsWithTheVector) {
  for (const char* device : kDevices) {
    const Tuning tuning = built_in_tuning(device);
    for (const Form form : kForms) {
      for (int codec = 0; codec < codec_count(); ++codec) {
        for (const DataType type : kTypes) {
          for (const int world : {2, 3, 8, 16}) {
            double before = 0;
            for (const std::int64_t count : counts()) {
              const double us = predict_us(form, codec, type, world, count, tuning);
              ASSERT_TRUE(std::isfinite(us));
              ASSERT_GE(us, before) << device << " " << codec_info(codec).name << " " << count;
              before = us;
            }
            ASSERT_GE(before, predict_us(form, codec, type, world, 1, tuning) * 10)
                << "a vector of 2^33 values";
          }
        }
      }
    }
  }
}

/// What was measured with two ranks on one H200 (fp16, graphs), which the constants were taken from in part.
TEST(CostModel, IsNearWhatWasMeasured) {
  struct Measured {
    Form form;
    const char* codec;
    std::int64_t bytes;
    double us;
  };
  constexpr std::int64_t kMib = 1 << 20;
  constexpr Measured kMeasured[] = {
      {Form::kFlagged, "raw", kMib / 256, 2.054},   {Form::kFlagged, "raw", kMib / 4, 2.830},
      {Form::kFlagged, "int4", kMib / 4, 2.768},    {Form::kFlagged, "int8", kMib / 4, 3.053},
      {Form::kExchange, "raw", kMib, 5.106},        {Form::kExchange, "int4", kMib, 5.298},
      {Form::kExchange, "int8", kMib, 6.267},       {Form::kExchange, "raw", 4 * kMib, 9.517},
      {Form::kExchange, "raw", 16 * kMib, 37.8},    {Form::kExchange, "raw", 64 * kMib, 143.7},
      {Form::kExchange, "raw", 1024 * kMib, 2238},  {Form::kTwoShot, "raw", 4 * kMib, 10.7},
      {Form::kTwoShot, "raw", 16 * kMib, 35.4},     {Form::kTwoShot, "raw", 64 * kMib, 133.8},
      {Form::kTwoShot, "raw", 1024 * kMib, 2064},   {Form::kExchange, "int8", 4 * kMib, 8.789},
      {Form::kExchange, "int8", 16 * kMib, 28.8},   {Form::kExchange, "int8", 64 * kMib, 108.8},
      {Form::kExchange, "int8", 1024 * kMib, 1664}, {Form::kExchange, "int6", 64 * kMib, 99.2},
      {Form::kExchange, "int4", 4 * kMib, 7.378},   {Form::kExchange, "int4", 16 * kMib, 24.6},
      {Form::kExchange, "int4", 64 * kMib, 88.3},   {Form::kExchange, "int4", 1024 * kMib, 1385},
      {Form::kExchange, "int3", 64 * kMib, 87.2},   {Form::kExchange, "int3", 1024 * kMib, 1349},
      {Form::kTwoShot, "int8", 16 * kMib, 30.0},    {Form::kTwoShot, "int4", 64 * kMib, 94.2},
      {Form::kTwoShot, "int3", 1024 * kMib, 1366},  {Form::kExchange, "fp8", 64 * kMib, 103.8},
      {Form::kExchange, "fp4", 64 * kMib, 140.2},
  };
  const Tuning tuning = shared_tuning(built_in_tuning("NVIDIA H200"), 2);
  for (const Measured& row : kMeasured) {
    const int codec = find_codec(row.codec);
    if (codec < 0) continue;  // another build
    const double us = predict_us(row.form, codec, DataType::kFloat16, 2, row.bytes / 2, tuning);
    EXPECT_GT(us, 0.8 * row.us) << row.codec << " " << row.bytes;
    EXPECT_LT(us, 1.2 * row.us) << row.codec << " " << row.bytes;
  }
}

/// Two devices, 363 GB/s each way: an exact vector of 1 GiB is limited by the link.
TEST(CostModel, LongVectorsAreLimitedByTheLink) {
  const Tuning tuning = built_in_tuning("NVIDIA H200");
  const std::int64_t count = std::int64_t{1} << 29;
  const double link = std::ldexp(1.0, 30) / 363e3;
  const double raw = predict_us(Form::kExchange, 0, DataType::kBFloat16, 2, count, tuning);
  EXPECT_NEAR(raw, link, 0.01 * link);
  const double int8 = predict_us(Form::kExchange, find_codec("int8"), DataType::kBFloat16, 2, count, tuning);
  EXPECT_NEAR(int8, link * 8.5 / 16, 0.01 * link);
  // Eight ranks: an exchange sends seven vectors, a two_shot 1.75.
  const double exchange = predict_us(Form::kExchange, 0, DataType::kBFloat16, 8, count, tuning);
  const double two_shot = predict_us(Form::kTwoShot, 0, DataType::kBFloat16, 8, count, tuning);
  EXPECT_NEAR(exchange / two_shot, 4, 0.05);
}

TEST(DevicePlan, IsTheLeastOfWhatIsAllowed) {
  for (const char* device : kDevices) {
    for (const int world : {2, 3, 8, 16}) {
      const Facts facts = facts_of(world, built_in_tuning(device));
      for (const DataType type : kTypes) {
        for (const std::int64_t count : counts()) {
          const Request request{count, type, ReduceOp::kSum};
          const Plan plan = make_plan(request, facts, settings_of("auto"));
          double least = INFINITY;
          for (const int codec : {0, find_codec("int8")}) {
            for (const Form form : kForms) {
              if (form == Form::kFlagged && !fits_flagged(codec, type, count, facts.flagged_blocks)) continue;
              least = std::min(least, predict_us(form, codec, type, world, count, facts.tuning));
            }
          }
          ASSERT_EQ(plan.predicted_us, least) << device << " " << world << " " << count;
          ASSERT_STRNE(plan.reason, "");
          const Form form = plan.flagged                             ? Form::kFlagged
                            : plan.algorithm == Algorithm::kExchange ? Form::kExchange
                                                                     : Form::kTwoShot;
          ASSERT_EQ(plan.predicted_us, predict_us(form, plan.codec, type, world, count, facts.tuning));
        }
      }
    }
  }
}

TEST(DevicePlan, NeverFlaggedBeyondCapacity) {
  for (const int world : {2, 4, 16}) {
    Facts facts = facts_of(world, built_in_tuning("NVIDIA H200"));
    facts.tuning.exchange =
        facts.tuning.two_shot = {1e6, 1e6, 0};  // so that flagged is the least where it fits
    for (const int limit : {0, 1, 7, facts.flagged_blocks, 1000}) {
      facts.tuning.flagged_blocks = limit;
      for (int codec = 0; codec < codec_count(); ++codec) {
        for (const DataType type : kTypes) {
          const std::int64_t last =
              std::int64_t{std::min(limit, facts.flagged_blocks)} * flagged_block_values(codec, type);
          for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, last, last + 1, kMost}) {
            for (const AlgorithmChoice choice : {AlgorithmChoice::kAuto, AlgorithmChoice::kExchange}) {
              const Plan plan = make_plan({count, type, ReduceOp::kSum}, facts,
                                          settings_of(codec_info(codec).name, choice));
              ASSERT_EQ(plan.flagged, count > 0 && count <= last) << count << " of " << last;
              ASSERT_TRUE(!plan.flagged || plan.algorithm == Algorithm::kExchange);
            }
          }
        }
      }
    }
  }
}

TEST(DevicePlan, ObeysWhatWasAskedFor) {
  const Facts facts = facts_of(4, built_in_tuning("NVIDIA H200"));
  for (const std::int64_t count : counts()) {
    const Request request{count, DataType::kFloat32, ReduceOp::kSum};
    for (int codec = 0; codec < codec_count(); ++codec) {
      const std::string name = codec_info(codec).name;
      const Plan exchange = make_plan(request, facts, settings_of(name, AlgorithmChoice::kExchange));
      EXPECT_EQ(exchange.algorithm, Algorithm::kExchange);
      const Plan two_shot = make_plan(request, facts, settings_of(name, AlgorithmChoice::kTwoShot));
      EXPECT_EQ(two_shot.algorithm, Algorithm::kTwoShot);
      EXPECT_FALSE(two_shot.flagged);
      for (const Plan& plan : {exchange, two_shot}) EXPECT_EQ(plan.codec, codec);
    }
    EXPECT_EQ(make_plan({count, DataType::kFloat64, ReduceOp::kSum}, facts, settings_of("auto")).codec, 0);
    EXPECT_EQ(make_plan({count, DataType::kFloat32, ReduceOp::kMax}, facts, settings_of("int4")).codec, 0);
    Settings settings = settings_of("auto");
    settings.min_bytes = 4 * count + 1;
    EXPECT_EQ(make_plan(request, facts, settings).codec, 0);
  }
}

/// Short messages are flagged and exact, long ones lossy; and the table decides.
TEST(DevicePlan, ChangesWithSizeAndTable) {
  const auto plan = [](const Facts& facts, std::int64_t count) {
    return make_plan({count, DataType::kBFloat16, ReduceOp::kSum}, facts, settings_of("auto"));
  };
  Facts facts = facts_of(2, built_in_tuning("NVIDIA H200"));
  EXPECT_TRUE(plan(facts, 2048).flagged);
  EXPECT_EQ(plan(facts, 2048).codec, 0);
  EXPECT_FALSE(plan(facts, kMost).flagged);
  EXPECT_EQ(plan(facts, kMost).codec, find_codec("int8"));
  EXPECT_EQ(plan(facts_of(8, facts.tuning), kMost).algorithm, Algorithm::kTwoShot);
  facts.tuning.link_gb_per_s = facts.tuning.peer_gb_per_s = 1e6;  // then coding never pays
  for (CodecRates& codec : facts.tuning.codecs) codec = {10, 10, 10, 10};
  EXPECT_EQ(plan(facts, kMost).codec, 0);
}

#if defined(QR_WITH_DEVICE)
/// What the plan takes a block for is what the kernels make of it.
TEST(DevicePlan, BlocksAreThoseOfTheKernels) {
  for (int codec = 0; codec < codec_count(); ++codec) {
    for (int type = 0; type < kDataTypeCount; ++type) {
      const GpuKernels* const kernels = gpu_kernels(codec, static_cast<DataType>(type), ReduceOp::kSum);
      if (kernels == nullptr) continue;
      EXPECT_EQ(kernels->flagged.slot_values, flagged_block_values(codec, static_cast<DataType>(type)))
          << codec_info(codec).name;
    }
  }
}
#endif

}  // namespace
}  // namespace qr::test
