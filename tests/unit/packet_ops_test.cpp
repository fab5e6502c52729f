// Packet functions: each target of this machine gives the reference's bits, and writes nothing it should not.
#include "kernels/packet_ops.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "kernels/element.hpp"
#include "kernels/platform/tables.hpp"
#include "tests/support/packet_data.hpp"

namespace qr {
namespace {

using test::GuardedBytes;
using test::Pattern;

constexpr int kCounts[] = {1, 2, 7, 31, 32, 33, 255, 256, 257, 2047, 2048};
constexpr int kWorlds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17};
constexpr int kOffsets[] = {0, 1, 3, 7};

/// One case: the inputs of one call of each function, and what the reference makes of them.
class Case {
 public:
  Case(const PacketOps& reference, DataType type, int valid, int world, Pattern pattern, std::size_t offset,
       unsigned seed)
      : reference_(reference),
        valid_(valid),
        world_(world),
        rank_(static_cast<int>(seed) % world),
        bytes_(static_cast<std::size_t>(valid) * element_bytes(type)),
        used_(reference.used_bytes(valid)),
        offset_(offset * element_bytes(type)),
        own_(bytes_, offset_),
        decoded_(bytes_),
        sum_(bytes_),
        reduced_(bytes_),
        reduced_packet_(used_) {
    for (int source = 0; source < world; ++source) {
      test::fill(pattern, type, valid, seed + static_cast<unsigned>(source), own_.data());
      packets_.emplace_back(used_);
      reference.encode(own_.data(), valid, packets_.back().data());
    }
    test::fill(pattern, type, valid, seed + static_cast<unsigned>(rank_), own_.data());
    for (GuardedBytes& packet : packets_) all_.push_back(packet.data());
    peers_ = all_;
    peers_[static_cast<std::size_t>(rank_)] = nullptr;  // must not be read
    reference.decode(all_[0], valid, decoded_.data());
    reference.sum(all_.data(), world, valid, sum_.data());
    reference.reduce(own_.data(), rank_, peers_.data(), world, valid, packet_or_null(reduced_packet_),
                     reduced_.data());
    EXPECT_TRUE(decoded_.intact() && sum_.intact() && reduced_.intact() && reduced_packet_.intact());
  }

  void check(const PacketOps& ops) {
    EXPECT_EQ(reference_.packet_bytes, ops.packet_bytes);
    EXPECT_EQ(reference_.exact, ops.exact);
    EXPECT_EQ(used_, ops.used_bytes(valid_));

    GuardedBytes packet(used_);
    ops.encode(own_.data(), valid_, packet.data());
    expect_same(packets_[static_cast<std::size_t>(rank_)], packet, "encode");
    GuardedBytes decoded(bytes_, offset_);
    ops.decode(all_[0], valid_, decoded.data());
    expect_same(decoded_, decoded, "decode");
    GuardedBytes sum(bytes_, offset_);
    ops.sum(all_.data(), world_, valid_, sum.data());
    expect_same(sum_, sum, "sum");
    check_reduce(ops);
  }

 private:
  void check_reduce(const PacketOps& ops) {
    GuardedBytes values(bytes_, offset_);
    GuardedBytes packet(used_);
    ops.reduce(own_.data(), rank_, peers_.data(), world_, valid_, packet_or_null(packet), values.data());
    expect_same(reduced_, values, "reduce");
    expect_same(reduced_packet_, packet, "reduce's packet");
    if (!ops.exact) {
      GuardedBytes decoded(bytes_, offset_);
      ops.decode(packet.data(), valid_, decoded.data());
      expect_same(decoded, values, "reduce's values are its packet, decoded");
    }
    GuardedBytes in_place(bytes_, offset_);
    std::memcpy(in_place.data(), own_.data(), bytes_);
    ops.reduce(in_place.data(), rank_, peers_.data(), world_, valid_, packet_or_null(packet),
               in_place.data());
    expect_same(reduced_, in_place, "reduce in place");
  }

  std::byte* packet_or_null(GuardedBytes& packet) const { return reference_.exact ? nullptr : packet.data(); }

  static void expect_same(const GuardedBytes& wanted, const GuardedBytes& got, const char* what) {
    EXPECT_EQ(0, std::memcmp(wanted.data(), got.data(), wanted.size())) << what;
    EXPECT_TRUE(got.intact()) << what << " wrote outside";
  }

  const PacketOps& reference_;
  int valid_;
  int world_;
  int rank_;
  std::size_t bytes_;
  std::size_t used_;
  std::size_t offset_;
  GuardedBytes own_;
  GuardedBytes decoded_;
  GuardedBytes sum_;
  GuardedBytes reduced_;
  GuardedBytes reduced_packet_;
  std::vector<GuardedBytes> packets_;
  std::vector<const std::byte*> all_;
  std::vector<const std::byte*> peers_;
};

/// The targets are compared on all counts and worlds; patterns and offsets take turns.
void compare(int codec, DataType type, ReduceOp op) {
  const PacketOps* reference = reference_packet_ops(codec, type, op);
  ASSERT_NE(nullptr, reference);
  unsigned seed = 0;
  for (const int valid : kCounts) {
    for (const int world : kWorlds) {
      for (int turn = 0; turn < 2; ++turn, ++seed) {
        const Pattern pattern = test::kPatterns[seed % std::size(test::kPatterns)];
        const auto offset = static_cast<std::size_t>(kOffsets[seed / 2 % std::size(kOffsets)]);
        Case one(*reference, type, valid, world, pattern, offset, seed);
        for (int index = 0; index < target_count(); ++index) {
          SCOPED_TRACE(std::string(target(index).name) + ", " + codec_info(codec).name + ", " +
                       name_of(type) + ", " + name_of(op) + ", " + std::to_string(valid) + " values, " +
                       std::to_string(world) + " ranks, pattern " +
                       std::to_string(static_cast<int>(pattern)));
          one.check(*target_packet_ops(target(index), codec, type, op));
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(PacketOps, LossyTargetsGiveTheReferencesBits) {
  for (int codec = 1; codec < codec_count(); ++codec) {
    for (int type = 0; type < kBlockTypeCount; ++type)
      compare(codec, static_cast<DataType>(type), ReduceOp::kSum);
  }
}

TEST(PacketOps, RawTargetsGiveTheReferencesBits) {
  for (int type = 0; type < kDataTypeCount; ++type) {
    for (int op = 0; op < kReduceOpCount; ++op) {
      compare(0, static_cast<DataType>(type), static_cast<ReduceOp>(op));
    }
  }
}

TEST(PacketOps, TablesExistForTheFastPathOnly) {
  EXPECT_STREQ(target(0).name, packet_ops_target());
  EXPECT_EQ(nullptr, packet_ops(-1, DataType::kFloat32, ReduceOp::kSum));
  EXPECT_EQ(nullptr, packet_ops(codec_count(), DataType::kFloat32, ReduceOp::kSum));
  for (int codec = 0; codec < codec_count(); ++codec) {
    EXPECT_EQ(codec, find_codec(codec_info(codec).name));
    EXPECT_EQ(codec == 0, codec_info(codec).exact);
    EXPECT_EQ(codec == 0, packet_ops(codec, DataType::kFloat64, ReduceOp::kSum) != nullptr);
    EXPECT_EQ(codec == 0, packet_ops(codec, DataType::kFloat32, ReduceOp::kMax) != nullptr);
    const PacketOps* ops = packet_ops(codec, DataType::kBFloat16, ReduceOp::kSum);
    ASSERT_NE(nullptr, ops);
    EXPECT_EQ(0U, ops->packet_bytes % 64);
    EXPECT_EQ(ops->packet_bytes, ops->used_bytes(kPacketValues));
  }
  EXPECT_EQ(-1, find_codec("no such codec"));
}

/// The application's rounding mode and flush-to-zero must not reach the bits, and must be back afterwards.
TEST(PacketOps, IgnoreTheCallersFloatingPointModes) {
  for (int codec = 0; codec < codec_count(); ++codec) {
    for (const DataType type : {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat32}) {
      const PacketOps* reference = reference_packet_ops(codec, type, ReduceOp::kSum);
      Case one(*reference, type, 300, 3, Pattern::kSubnormal, 0, 5);
      Case two(*reference, type, 300, 3, Pattern::kSpecials, 0, 6);
      std::fesetround(FE_UPWARD);
#if defined(__SSE__)
      const unsigned modes = _mm_getcsr() | 0x8040U;  // flush to zero, denormals are zero
      _mm_setcsr(modes);
#endif
      for (int index = 0; index < target_count(); ++index) {
        one.check(*target_packet_ops(target(index), codec, type, ReduceOp::kSum));
        two.check(*target_packet_ops(target(index), codec, type, ReduceOp::kSum));
      }
#if defined(__SSE__)
      EXPECT_EQ(modes & ~0x3FU, _mm_getcsr() & ~0x3FU);
      _mm_setcsr(modes & ~0x8040U);
#endif
      EXPECT_EQ(FE_UPWARD, std::fegetround());
      std::fesetround(FE_TONEAREST);
    }
  }
}

/// How packet functions load and store 16-bit elements.
TEST(Element, HalfConversionsAreExactAndRoundHalfToEven) {
  for (std::uint32_t half = 0; half < 0x7C00; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float x = float16_to_float(bits);
    EXPECT_EQ(half < 0x400
                  ? std::ldexp(static_cast<float>(half), -24)
                  : std::ldexp(static_cast<float>(0x400 + (half & 0x3FF)), static_cast<int>(half >> 10) - 25),
              x);
    EXPECT_EQ(bits, float_to_float16(x));
    const float next = half == 0x7BFF ? 65536.0F : float16_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = (x + next) / 2;
    EXPECT_EQ(half + half % 2, float_to_float16(middle));
    EXPECT_EQ(half, float_to_float16(std::nextafter(middle, 0.0F)));
    EXPECT_EQ(half + 1, float_to_float16(std::nextafter(middle, 1e9F)));
  }
  EXPECT_EQ(0x8000, float_to_float16(-0.0F));
  EXPECT_EQ(0x3F80, float_to_bfloat16(1.00390625F));  // 1 + 2^-8: a tie, to even
  EXPECT_EQ(0x3F82, float_to_bfloat16(1.01171875F));
  EXPECT_EQ(0x7F80, float_to_bfloat16(3.4028235e38F));
  EXPECT_EQ(0x7FC0, float_to_bfloat16(std::nanf("")));
}

}  // namespace
}  // namespace qr
