// FR-25: the bits of a value depend on its index, not on the message's size, the run or the rank.
#include <gtest/gtest.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// f(codec, algorithm) for all of them, with the settings in force on `comm`.
template <class F>
void for_all_roads(const Comm& comm, F&& f) {
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      SCOPED_TRACE(codec.name + " " + algorithm);
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      f(codec, algorithm);
    }
  }
}

template <class T>
std::vector<T> input_of(std::int64_t count, int rank) {
  std::vector<T> values(static_cast<std::size_t>(count));
  Input{.seed = 25, .pattern = Pattern::kUniform}.fill(values.data(), count, rank);
  return values;
}

/// The shapes of the report.
TEST(Fr25BitsByIndex, ThePrefixOfALongerVectorIsTheShorterVector) {
  constexpr std::int64_t kShort = 1664 * 5120, kLong = 2048 * 5120;
  const Comm comm;
  const std::vector<BFloat16> send = input_of<BFloat16>(kLong, comm.rank());
  std::vector<BFloat16> of_short(kShort), of_long(kLong);
  for_all_roads(comm, [&](const Codec&, const std::string&) {
    EXPECT_TRUE(succeeded(sum(send.data(), of_short.data(), kShort, comm.get())));
    EXPECT_TRUE(succeeded(sum(send.data(), of_long.data(), kLong, comm.get())));
    EXPECT_EQ(digest(of_short.data(), kShort * 2), digest(of_long.data(), kShort * 2));
    EXPECT_TRUE(equal_on_all_ranks(of_long.data(), kLong * 2, comm.get()));
  });
}

/// Lengths around the ends of packets and of deals of packets, down to one block.
template <class T>
void compare_prefixes() {
  const Comm comm;
  const std::int64_t whole = 3 * comm.size() * 2048 + 2048 + 32;
  const std::vector<T> send = input_of<T>(whole, comm.rank());
  std::vector<T> of_whole(send.size()), of_prefix(send.size());
  for_all_roads(comm, [&](const Codec&, const std::string&) {
    EXPECT_TRUE(succeeded(sum(send.data(), of_whole.data(), whole, comm.get())));
    for (const std::int64_t count :
         {std::int64_t{32}, std::int64_t{64}, std::int64_t{2016}, std::int64_t{2048}, std::int64_t{2080},
          whole / 2 / 32 * 32, whole - 32}) {
      EXPECT_TRUE(succeeded(sum(send.data(), of_prefix.data(), count, comm.get())));
      const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
      EXPECT_EQ(digest(of_prefix.data(), bytes), digest(of_whole.data(), bytes)) << "count " << count;
    }
  });
}

TEST(Fr25BitsByIndex, ShortPrefixesOfFloat16) { compare_prefixes<Float16>(); }
TEST(Fr25BitsByIndex, ShortPrefixesOfFloat32) { compare_prefixes<float>(); }

TEST(Fr25BitsByIndex, AHundredRepeatsGiveEqualBits) {
  constexpr std::int64_t kCount = 40'000;
  const Comm comm;
  const std::vector<float> send = input_of<float>(kCount, comm.rank());
  std::vector<float> recv(kCount);
  for_all_roads(comm, [&](const Codec&, const std::string&) {
    std::uint64_t first = 0;
    int different = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
      EXPECT_EQ(sum(send.data(), recv.data(), kCount, comm.get()), MPI_SUCCESS);
      const std::uint64_t bits = digest(recv.data(), kCount * sizeof(float));
      if (repeat == 0) first = bits;
      different += bits != first;
    }
    EXPECT_EQ(different, 0);
    EXPECT_TRUE(equal_on_all_ranks(recv.data(), kCount * sizeof(float), comm.get()));
  });
}

}  // namespace
}  // namespace qr_test
