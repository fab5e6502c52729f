// Codecs: the error bound each states, the whole range of every element type, zeros, NaN and Inf, saturation,
// noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/codec/fp4.hpp"
#include "kernels/codec/fp8.hpp"
#include "kernels/math.hpp"
#include "kernels/packet_ops.hpp"
#include "tests/support/packet_data.hpp"
#include "tests/support/sqnr.hpp"

namespace qr {
namespace {

using test::GuardedBytes;
using test::Pattern;

constexpr DataType kTypes[] = {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat32};

/// All lossy codecs and their element types.
class CodecTest : public testing::TestWithParam<std::tuple<int, DataType>> {
 protected:
  int codec() const { return std::get<0>(GetParam()); }
  DataType type() const { return std::get<1>(GetParam()); }
  const PacketOps& ops() const { return *packet_ops(codec(), type(), ReduceOp::kSum); }

  /// Values as elements of the type.
  GuardedBytes write(const std::vector<double>& values) const {
    GuardedBytes bytes(values.size() * element_bytes(type()));
    int index = 0;
    for (const double x : values) test::write_value(type(), x, bytes.data(), index++);
    return bytes;
  }

  /// Values of one packet through the codec and back.
  std::vector<double> round_trip(const std::vector<double>& values) const {
    GuardedBytes bytes = write(values);
    GuardedBytes packet(ops().packet_bytes);
    const int count = static_cast<int>(values.size());
    ops().encode(bytes.data(), count, packet.data());
    ops().decode(packet.data(), count, bytes.data());
    return read(bytes, count);
  }

  std::vector<double> read(const GuardedBytes& bytes, int count) const {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(test::read_value(type(), bytes.data(), i));
    return values;
  }

  /// Rounding a decoded value of magnitude up to `largest` to the element type.
  double rounding(double largest) const {
    switch (type()) {
      case DataType::kFloat16:
        return std::ldexp(largest, -11) + 0x1p-25;
      case DataType::kBFloat16:
        return std::ldexp(largest, -8);
      case DataType::kFloat32:
      case DataType::kFloat64:
        break;
    }
    return 0.0;
  }
};

INSTANTIATE_TEST_SUITE_P(All, CodecTest,
                         testing::Combine(testing::Range(1, codec_count()), testing::ValuesIn(kTypes)),
                         [](const auto& test) {
                           return std::string(codec_info(std::get<0>(test.param)).name) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

TEST_P(CodecTest, KeepsItsErrorBoundOverTheWholeRange) {
  const double bound = codec_info(codec()).error;
  double worst = 0.0;
  for (const Pattern pattern : test::kPatterns) {
    if (!test::is_finite(pattern)) continue;
    for (unsigned seed = 0; seed < 30; ++seed) {
      GuardedBytes bytes(kPacketValues * element_bytes(type()));
      test::fill(pattern, type(), kPacketValues, seed, bytes.data());
      const std::vector<double> wanted = read(bytes, kPacketValues);
      const std::vector<double> got = round_trip(wanted);
      for (std::size_t block = 0; block < kPacketBlocks; ++block) {
        double largest = 0.0;
        double error = 0.0;
        for (std::size_t i = block * kBlockValues; i < (block + 1) * kBlockValues; ++i) {
          ASSERT_TRUE(std::isfinite(got[i])) << wanted[i];
          largest = std::max(largest, std::fabs(wanted[i]));
          error = std::max(error, std::fabs(got[i] - wanted[i]));
        }
        const bool may_vanish = type() != DataType::kFloat16 && largest < 0x1p-110;
        ASSERT_LE(error, may_vanish ? largest : bound * largest + rounding(largest)) << "largest " << largest;
        if (!may_vanish && largest > 0.0) worst = std::max(worst, error / largest);
      }
    }
  }
  if (type() == DataType::kFloat32) {
    EXPECT_GT(worst, 0.8 * bound) << "the stated bound is loose";
  }
}

TEST_P(CodecTest, KeepsTheExtremeOfEveryBinade) {
  const double bound = codec_info(codec()).error;
  const int lowest = type() == DataType::kFloat16 ? -24 : -110;
  for (int exponent = lowest; exponent <= test::highest_exponent(type()); ++exponent) {
    for (const double mantissa : {1.0, -1.0, 1.2421875, -1.5, 1.9921875}) {
      std::vector<double> values(kBlockValues, 0.0);
      values[7] = std::ldexp(mantissa, exponent);
      values[20] = -values[7] / 2;
      values = read(write(values), kBlockValues);  // as the type can hold them
      const std::vector<double> got = round_trip(values);
      const double largest = std::fabs(values[7]);
      EXPECT_NEAR(values[7], got[7], largest / 128 + rounding(largest)) << "2^" << exponent;
      EXPECT_NEAR(values[20], got[20], bound * largest + rounding(largest)) << "2^" << exponent;
      EXPECT_EQ(0.0, got[0]);
      EXPECT_FALSE(std::signbit(got[0]));
    }
  }
}

TEST_P(CodecTest, DecodesBlocksOfZerosToPlusZero) {
  for (const double zero : {0.0, -0.0}) {
    for (const double x : round_trip(std::vector<double>(100, zero))) {
      EXPECT_EQ(0.0, x);
      EXPECT_FALSE(std::signbit(x));
    }
  }
}

TEST_P(CodecTest, NanAndInfSpoilTheirOwnBlockOnly) {
  for (const double special : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    std::vector<double> values(5 * kBlockValues, 1.0);
    values[2 * kBlockValues + 9] = special;
    const std::vector<double> got = round_trip(values);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (i / kBlockValues == 2) {
        EXPECT_TRUE(std::isnan(got[i])) << i;
      } else {
        EXPECT_NEAR(1.0, got[i], 0.26) << i;
      }
    }
  }
}

/// Sums of `world` ranks that all have the same packet, or alternately its negative.
TEST_P(CodecTest, SumsNeitherOverflowHalfWayNorGetLost) {
  constexpr int kCount = kBlockValues;
  const double top = test::largest_finite(type());
  const std::size_t bytes = kCount * element_bytes(type());
  for (const int world : {2, 4, 8, 64, 256}) {
    for (const bool alternate : {false, true}) {
      for (const double x : {top, top / world, 0x1p-14}) {
        const GuardedBytes plus = write(std::vector<double>(kCount, x));
        const GuardedBytes minus = write(std::vector<double>(kCount, -x));
        GuardedBytes plus_packet(ops().packet_bytes);
        GuardedBytes minus_packet(ops().packet_bytes);
        ops().encode(plus.data(), kCount, plus_packet.data());
        ops().encode(minus.data(), kCount, minus_packet.data());
        std::vector<const std::byte*> packets;
        for (int rank = 0; rank < world; ++rank) {
          // First half plus, second half minus: the partial sums go far beyond the type.
          packets.push_back(alternate && rank >= world / 2 ? minus_packet.data() : plus_packet.data());
        }
        const double wanted = alternate ? 0.0 : std::min(top, x * world);
        GuardedBytes sum(bytes);
        ops().sum(packets.data(), world, kCount, sum.data());
        GuardedBytes reduced(bytes);
        GuardedBytes packet(ops().packet_bytes);
        ops().reduce(plus.data(), 0, packets.data(), world, kCount, packet.data(), reduced.data());
        for (const double got : {read(sum, kCount)[5], read(reduced, kCount)[5]}) {
          // The extreme itself comes back within the rounding of its scale.
          EXPECT_NEAR(wanted, got, std::max(wanted, x) * 0x1p-7) << world << " times " << x;
          EXPECT_TRUE(std::isfinite(got));
        }
      }
    }
  }
}

/// Every value of a small floating-point format decodes to itself, and encoding is round-half-even to the
/// nearest.
template <class Codec>
void check_float_codec(const std::vector<float>& magnitudes) {
  using M = ScalarMath;
  for (std::size_t code = 0; code < magnitudes.size(); ++code) {
    const auto plus = static_cast<std::uint32_t>(code);
    const auto minus = plus | 1U << (Codec::kBits - 1);
    EXPECT_EQ(magnitudes[code], Codec::template decode<M>(plus, 1.0F));
    EXPECT_EQ(-magnitudes[code], Codec::template decode<M>(minus, 1.0F));
    EXPECT_FALSE(code == 0 && std::signbit(Codec::template decode<M>(minus, 1.0F)));
    EXPECT_EQ(plus, Codec::template encode<M>(magnitudes[code], 1.0F));
    EXPECT_EQ(minus, Codec::template encode<M>(-magnitudes[code], 1.0F));
    if (code + 1 == magnitudes.size()) break;
    const float middle = (magnitudes[code] + magnitudes[code + 1]) / 2;
    const auto even = static_cast<std::uint32_t>(code + code % 2);
    EXPECT_EQ(plus, Codec::template encode<M>(std::nextafter(middle, 0.0F), 1.0F));
    EXPECT_EQ(even, Codec::template encode<M>(middle, 1.0F));
    EXPECT_EQ(plus + 1, Codec::template encode<M>(std::nextafter(middle, 1e9F), 1.0F));
  }
  const auto top = static_cast<std::uint32_t>(magnitudes.size() - 1);
  EXPECT_EQ(top, Codec::template encode<M>(magnitudes.back() * 1.5F, 1.0F));
}

TEST(FloatCodec, Fp4IsE2M1) { check_float_codec<Fp4>({0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F}); }

TEST(FloatCodec, Fp8IsE4M3) {
  std::vector<float> magnitudes;
  for (int code = 0; code <= 0x7E; ++code) {
    const int exponent = code >> 3;
    const int mantissa = code & 7;
    magnitudes.push_back(exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                       : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10));
  }
  EXPECT_EQ(448.0F, magnitudes.back());
  check_float_codec<Fp8>(magnitudes);
}

TEST(Sqnr, OfOneQuantizationOfGaussianValues) {
  const std::vector<float> values = test::gaussian_values(1U << 20);
  for (int codec = 1; codec < codec_count(); ++codec) {
    const CodecInfo& info = codec_info(codec);
    const double db = test::sqnr_db(
        values, test::round_trip(*packet_ops(codec, DataType::kFloat32, ReduceOp::kSum), values));
    RecordProperty(info.name, std::to_string(db));
    std::printf("  %-6s %.2f bits/value  %.2f dB\n", info.name, info.bits_per_value, db);
    // A uniform error of the stated bound is the worst that a codec may do; blocks of 32 peak near 2.1 sigma.
    EXPECT_GT(db, -20 * std::log10(info.error * 2.1)) << info.name;
  }
}

}  // namespace
}  // namespace qr
