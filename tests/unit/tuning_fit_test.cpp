// The fit of qr_mpi_tune: from times that a known table predicts it finds a table that predicts the same, and
// noise in the times does not run away.
#include "lib/tuning_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/packet_ops.hpp"

namespace qr::test {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = 1024 * kKib;

/// What qr_mpi_tune measures, as `truth` predicts it, off by up to `noise` of each time.
std::vector<TimedCall> calls_of(const Tuning& truth, int world, double noise) {
  std::vector<TimedCall> calls;
  std::uint32_t random = 1;
  const auto add = [&](Form form, int codec, DataType type, std::int64_t bytes) {
    const std::int64_t count = bytes / static_cast<std::int64_t>(element_bytes(type));
    random = random * 1664525U + 1013904223U;
    const double off = (static_cast<double>(random >> 8) / (1 << 23) - 1) * noise;
    calls.push_back(
        {form, codec, type, count, predict_us(form, codec, type, world, count, truth) * (1 + off)});
  };
  for (int codec = 0; codec < codec_count(); ++codec) {
    for (const std::int64_t bytes : {4 * kKib, 512 * kKib})
      add(Form::kFlagged, codec, DataType::kBFloat16, bytes);
    for (const Form form : {Form::kExchange, Form::kTwoShot}) {
      for (const std::int64_t bytes : {64 * kKib, 4 * kMib, 64 * kMib})
        add(form, codec, DataType::kBFloat16, bytes);
      add(form, codec, DataType::kFloat32, 64 * kMib);
    }
  }
  return calls;
}

/// Whatever calls cannot tell is as qr_mpi_tune measures or guesses it; all else is wrong.
Tuning start_of(const Tuning& truth) {
  Tuning start = built_in_tuning("another");
  for (const auto member :
       {&Tuning::link_gb_per_s, &Tuning::peer_gb_per_s, &Tuning::memory_gb_per_s, &Tuning::cache_mib})
    start.*member = truth.*member;
  start.cache_gb_per_s = 1.75 * truth.memory_gb_per_s;
  start.flagged.peer_us = truth.flagged.peer_us;
  start.exchange.peer_us = truth.exchange.peer_us;
  start.two_shot.peer_us = truth.two_shot.peer_us;
  return start;
}

/// The greatest ratio between the two predictions, whichever is the greater.
double worst_ratio(const Tuning& a, const Tuning& b, int world) {
  double worst = 1;
  for (const Form form : {Form::kFlagged, Form::kExchange, Form::kTwoShot}) {
    for (int codec = 0; codec < codec_count(); ++codec) {
      for (const DataType type : {DataType::kFloat16, DataType::kFloat32}) {
        const std::int64_t most =
            form == Form::kFlagged ? 1 << 19 : 1 << 24;  // no longer than what was measured
        for (std::int64_t count = 1024; count <= most; count *= 2) {
          const double ratio =
              predict_us(form, codec, type, world, count, a) / predict_us(form, codec, type, world, count, b);
          worst = std::max({worst, ratio, 1 / ratio});
        }
      }
    }
  }
  return worst;
}

/// Where the link hides memory or coding, what lies behind it can only be guessed.
TEST(TuningFit, FindsTheTableBehindTheTimes) {
  for (const char* device : {"NVIDIA H200", "gfx942", "gfx950"}) {
    for (const int world : {2, 4, 8}) {
      const Tuning truth = built_in_tuning(device);
      const Tuning found = fit_tuning(start_of(truth), world, calls_of(truth, world, 0));
      EXPECT_LT(worst_ratio(found, truth, world), 1.08) << device << " " << world;
    }
  }
}

/// Ranks that share a device: memory limits, so every constant shows.
TEST(TuningFit, FindsRatesThatNoLinkHides) {
  const Tuning truth = shared_tuning(built_in_tuning("NVIDIA H200"), 2);
  const Tuning found = fit_tuning(start_of(truth), 2, calls_of(truth, 2, 0));
  EXPECT_LT(worst_ratio(found, truth, 2), 1.02);
  EXPECT_NEAR(found.two_shot.block_us, truth.two_shot.block_us, 0.05);
  EXPECT_NEAR(found.cache_gb_per_s / truth.cache_gb_per_s, 1, 0.05);
  EXPECT_NEAR(found.flagged_block / truth.flagged_block, 1, 0.05);
  for (const char* name : {"int8", "int4"}) {
    const auto codec = static_cast<std::size_t>(find_codec(name));
    EXPECT_NEAR(found.codecs[codec].encode_16 / truth.codecs[codec].encode_16, 1, 0.1) << name;
  }
}

TEST(TuningFit, NoiseStaysNoise) {
  for (const char* device : {"NVIDIA H200", "gfx942"}) {
    for (const int sharers : {1, 2}) {
      const Tuning truth = shared_tuning(built_in_tuning(device), sharers);
      const Tuning found = fit_tuning(start_of(truth), 2, calls_of(truth, 2, 0.03));
      EXPECT_LT(worst_ratio(found, truth, 2), 1.12) << device << " " << sharers;
      EXPECT_NO_THROW((void)parse_tuning(format_tuning(found), "fit"));
    }
  }
}

TEST(TuningFit, WhatIsMissingStays) {
  const Tuning start = built_in_tuning("NVIDIA H200");
  EXPECT_EQ(format_tuning(fit_tuning(start, 2, {})), format_tuning(start));
  const Tuning found = fit_tuning(start, 2, {{Form::kTwoShot, 0, DataType::kFloat32, 1024, 7.5}});
  EXPECT_NEAR(found.two_shot.raw_us, 7.5, 0.05);
  EXPECT_EQ(found.exchange.raw_us, start.exchange.raw_us);
}

}  // namespace
}  // namespace qr::test
