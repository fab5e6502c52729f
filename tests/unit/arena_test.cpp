// The arena's layout: parts do not overlap, are aligned, and stay within the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lib/backends/host/host_arenas.hpp"
#include "lib/status.hpp"

namespace qr::test {
namespace {

struct Part {
  std::size_t begin;
  std::size_t end;
};

std::vector<Part> parts_of(const ArenaLayout& layout) {
  std::vector<Part> parts = {{0, sizeof(ArenaHeader)}};
  for (int block = 0; block < layout.blocks; ++block) {
    for (int source = 0; source < layout.world; ++source) {
      const std::size_t line = layout.signal_offset(block, source);
      parts.push_back({line, line + sizeof(SignalLine)});
      for (const Ring ring : {Ring::kScatter, Ring::kGather}) {
        for (Epoch epoch = 0; epoch < kRounds; ++epoch) {
          const std::size_t region = layout.region_offset(block, ring, epoch, source);
          parts.push_back({region, region + layout.region_bytes});
        }
      }
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  return parts;
}

void expect_sound(const ArenaLayout& layout) {
  const std::vector<Part> parts = parts_of(layout);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) ASSERT_LE(parts[i].end, parts[i + 1].begin);
  EXPECT_EQ(parts.back().end, layout.total_bytes());
  for (int block = 0; block < layout.blocks; ++block) {
    for (int source = 0; source < layout.world; ++source) {
      EXPECT_EQ(layout.signal_offset(block, source) % 64, 0U);
      EXPECT_EQ(layout.region_offset(block, Ring::kGather, 3, source) % 4096, 0U);
    }
  }
}

TEST(Arena, PartsAreDisjointAndAligned) {
  for (const int world : {1, 2, 3, 7, 8, 64}) {
    for (const int blocks : {1, 2, 5}) {
      for (const std::size_t region : {std::size_t{4096}, std::size_t{5 * 4096}}) {
        expect_sound({.world = world, .blocks = blocks, .region_bytes = region});
      }
    }
  }
}

TEST(Arena, ARegionDependsOnTheEpochModuloTheRounds) {
  const ArenaLayout layout{.world = 3, .blocks = 2, .region_bytes = 8192};
  for (const Ring ring : {Ring::kScatter, Ring::kGather}) {
    const std::size_t region = layout.region_offset(1, ring, 0xfffffffeU, 2);
    EXPECT_EQ(region, layout.region_offset(1, ring, 2, 2));
    EXPECT_EQ(region, layout.region_offset(1, ring, 2 + 4 * kRounds, 2));
    EXPECT_NE(region, layout.region_offset(1, ring, 3, 2));
  }
}

TEST(Arena, HostLayoutsStayWithinTheBound) {
  for (const int world : {2, 3, 4, 5, 7, 8, 16, 64, kMaxWorld}) {
    for (const std::int64_t bytes :
         {std::int64_t{64} << 10, std::int64_t{1} << 20, std::int64_t{8} << 20, std::int64_t{64} << 20}) {
      Settings settings;
      settings.arena_bytes = bytes;
      try {
        const ArenaLayout layout = host_layout(world, settings);
        EXPECT_LE(layout.total_bytes(), static_cast<std::size_t>(bytes)) << world << " ranks";
        EXPECT_EQ(layout.world, world);
        // A packet of the widest type fits.
        EXPECT_GE(layout.region_bytes, static_cast<std::size_t>(kPacketValues) * 8);
        expect_sound(layout);
      } catch (const Error& error) {
        // Refused only where the smallest regions would not fit either.
        const auto least = static_cast<std::int64_t>(kRings * kRounds * world) * kPacketValues * 8;
        EXPECT_GT(least + (64 << 10), bytes) << world << " ranks: " << error.what();
      }
    }
  }
}

/// As README and the public header say.
TEST(Arena, TheDefaultBoundServes127RanksAndTheLargestAll) {
  Settings settings;
  EXPECT_NO_THROW(host_layout(127, settings));
  EXPECT_THROW(host_layout(128, settings), Error);
  settings.arena_bytes = 33 << 20;
  EXPECT_NO_THROW(host_layout(kMaxWorld, settings));
}

TEST(Arena, WordsThatTravelWhole) {
  const std::uint64_t word = signal_word(0xfffffffeU, 0x89abcdefU);
  EXPECT_EQ(epoch_of_signal(word), 0xfffffffeU);
  EXPECT_EQ(check_of_signal(word), 0x89abcdefU);
  for (const AbortNote note : {AbortNote{1, 0, -1}, AbortNote{2, 255, 255}, AbortNote{3, 7, 0}}) {
    const AbortNote read = AbortNote::of(note.word());
    EXPECT_EQ(read.reason, note.reason);
    EXPECT_EQ(read.rank, note.rank);
    EXPECT_EQ(read.about, note.about);
  }
  EXPECT_EQ(AbortNote::of(0).reason, 0U);
}

TEST(Epochs, AreComparedAcrossTheWrapAround) {
  EXPECT_TRUE(not_before(5, 5));
  EXPECT_TRUE(not_before(6, 5));
  EXPECT_FALSE(not_before(4, 5));
  EXPECT_TRUE(not_before(1, 0xffffffffU));
  EXPECT_FALSE(not_before(0xffffffffU, 1));
  EXPECT_FALSE(not_before(0, 1));  // what a fresh arena says to the first wait
}

}  // namespace
}  // namespace qr::test
