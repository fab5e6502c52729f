// FR-18: blocks of zeros come out as +0, whether the inputs were zero or cancelled out, and never as NaN.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 256 * 256;  // the report's

/// Sums `value` over the ranks on every road; f(result, codec, algorithm).
template <class T, class F>
void for_all_roads(const typename Reference<T>::ValueOf& value, F&& f) {
  const Comm comm;
  const Reference<T> reference(value, comm.size(), kCount);
  std::vector<T> send, recv(kCount);
  for (std::int64_t index = 0; index < kCount; ++index) send.push_back(value(comm.rank(), index));
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName);
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), kCount, comm.get())));
      EXPECT_TRUE(reference.check(recv.data(), kCount, codec, algorithm));
      EXPECT_TRUE(equal_on_all_ranks(recv.data(), recv.size() * sizeof(T), comm.get()));
      f(recv, codec, algorithm);
    }
  }
}

/// Values outside block `except` that are not +0.
template <class T>
int not_plus_zero(const std::vector<T>& result, std::int64_t except = -1) {
  int others = 0;
  for (std::int64_t index = 0; index < kCount; ++index) {
    others += index / kBlock != except && bits_of(result[static_cast<std::size_t>(index)]) != 0;
  }
  return others;
}

TEST(Fr18ZeroBlocks, AllZero) {
  for_codec_types([]<class T>() {
    const auto value = [](int, std::int64_t) { return T{}; };
    for_all_roads<T>(value, [](const std::vector<T>& result, const Codec&, const std::string&) {
      EXPECT_EQ(not_plus_zero(result), 0);
    });
  });
}

TEST(Fr18ZeroBlocks, OneValueAmongZeros) {
  for_codec_types([]<class T>() {
    const auto value = [](int rank, std::int64_t index) {
      return rounded<T>(rank == 0 && index == 37 ? 1 : 0);
    };
    for_all_roads<T>(value, [](const std::vector<T>& result, const Codec&, const std::string&) {
      EXPECT_EQ(not_plus_zero(result, 37 / kBlock), 0);
      EXPECT_NE(value_of(result[37]), 0);
    });
  });
}

/// Rank 1 sends what rank 0 sends with the other sign, the rest nothing: the reduced block is all zero. In
/// exchange both codes cancel out. In two_shot the owner's own values are exact, so they do where the codec
/// is exact for blocks of one power of two, as the integer codecs are.
TEST(Fr18ZeroBlocks, BlocksThatCancelOut) {
  if (world_size() == 1) GTEST_SKIP() << "needs 2 ranks";
  for_codec_types([]<class T>() {
    const auto power = [](std::int64_t index) {
      return std::ldexp(1.0, static_cast<int>(index / kBlock % 20) - 10);
    };
    const auto value = [power](int rank, std::int64_t index) {
      return rounded<T>(rank == 0 ? power(index) : rank == 1 ? -power(index) : 0);
    };
    for_all_roads<T>(
        value, [](const std::vector<T>& result, const Codec& codec, const std::string& algorithm) {
          const bool cancels = algorithm == "exchange" || codec.exact() || codec.name.starts_with("int");
          if (cancels) {
            EXPECT_EQ(not_plus_zero(result), 0);
          }
        });
  });
}

}  // namespace
}  // namespace qr_test
