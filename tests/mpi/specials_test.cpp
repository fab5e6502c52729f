// NaN, infinities, zeros of both signs and single spikes: what they do to their own block, and not to others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"

namespace qr_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Sums `values` of this rank; the result lies between guards.
template <class T>
Guarded<T> sum_of(const Comm& comm, const std::vector<T>& values) {
  Guarded<T> recv(static_cast<std::int64_t>(values.size()), 1);
  EXPECT_TRUE(succeeded(sum(values.data(), recv.data(), recv.count(), comm.get())));
  EXPECT_TRUE(recv.guards_intact());
  EXPECT_TRUE(equal_on_all_ranks(recv.data(), values.size() * sizeof(T), comm.get()));
  return recv;
}

template <class F>
void for_roads(const Comm& comm, const std::vector<Codec>& some, F&& f) {
  for (const Codec& codec : some) {
    for (const std::string& algorithm : kAlgorithms) {
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      for_types_of(codec, [&]<class T>() {
        SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName);
        f.template operator()<T>();
      });
    }
  }
}

/// Where one rank or two put something that is no number; the last block of the vector has only 3 values.
struct Poison {
  std::int64_t index;
  double first, last;  // on rank 0, on the last rank
};
constexpr std::int64_t kCount = 2 * 2048 + 64 + 3;
constexpr Poison kPoisons[] = {{0, kNan, 1},        {31, kInfinity, 2},
                               {32, 0, -kInfinity}, {2047, kInfinity, -kInfinity},
                               {2048 + 5, 1, kNan}, {kCount - 1, kNan, kInfinity}};

TEST(Specials, ANanOrInfinityMakesItsOwnBlockNanAndNoOther) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank gets its input back";
  for_roads(comm, lossy_codecs(), [&]<class T>() {
    std::vector<T> values(kCount);
    Input{.seed = 41}.fill(values.data(), kCount, comm.rank());
    const Guarded<T> clean = sum_of(comm, values);
    for (const Poison& poison : kPoisons) {
      std::vector<T> poisoned = values;
      T& spot = poisoned[static_cast<std::size_t>(poison.index)];
      if (comm.rank() == 0) spot = rounded<T>(poison.first);
      if (comm.rank() == comm.size() - 1) spot = rounded<T>(poison.last);
      const Guarded<T> result = sum_of(comm, poisoned);
      int not_nan = 0, changed = 0;
      for (std::int64_t index = 0; index < kCount; ++index) {
        const bool same_block = index / kBlock == poison.index / kBlock;
        not_nan += same_block && !std::isnan(value_of(result[index]));
        changed += !same_block && bits_of(result[index]) != bits_of(clean[index]);
      }
      EXPECT_EQ(not_nan, 0) << "values of the block of element " << poison.index;
      EXPECT_EQ(changed, 0) << "values of other blocks than that of element " << poison.index;
    }
  });
}

TEST(Specials, RawFollowsIeeeElementByElement) {
  const Comm comm;
  const auto value = [&](int rank, std::int64_t index) {
    for (const Poison& poison : kPoisons) {
      if (index == poison.index && rank == 0) return poison.first;
      if (index == poison.index && rank == comm.size() - 1) return poison.last;
    }
    return index % 3 == 0 ? -0.0 : Input{.seed = 42}.real(rank, index);
  };
  for_roads(comm, {{"raw", 0}}, [&]<class T>() {
    const auto typed = [&](int rank, std::int64_t index) { return rounded<T>(value(rank, index)); };
    std::vector<T> values;
    for (std::int64_t index = 0; index < kCount; ++index) values.push_back(typed(comm.rank(), index));
    const Guarded<T> result = sum_of(comm, values);
    EXPECT_TRUE(Reference<T>(typed, comm.size(), kCount).check_raw(result.data(), kCount));
  });
}

TEST(Specials, ZerosOfEitherSignGivePlusZero) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank gets its input back";
  for_roads(comm, lossy_codecs(), [&]<class T>() {
    for (const double odd_ranks : {0.0, -0.0}) {
      for (const double even_ranks : {0.0, -0.0}) {
        const std::vector<T> values(2048 + 33, rounded<T>(comm.rank() % 2 == 0 ? even_ranks : odd_ranks));
        const Guarded<T> result = sum_of(comm, values);
        int others = 0;
        for (std::int64_t index = 0; index < result.count(); ++index) others += bits_of(result[index]) != 0;
        EXPECT_EQ(others, 0) << "values that are not +0, of zeros " << even_ranks << " and " << odd_ranks;
      }
    }
  });
}

/// A spike of each sign in a block of values 2^14 times smaller: its neighbours stay within the bound, the
/// spike too.
TEST(Specials, SingleSpikesStayInTheirBlock) {
  const Comm comm;
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      for_types_of(codec, [&]<class T>() {
        SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName);
        const auto value = [world = comm.size()](int rank, std::int64_t index) {
          const std::int64_t block = index / kBlock;
          const bool spike = block % 3 == 0 && index % kBlock == block % kBlock && rank == block % world;
          return spike ? rounded<T>(block % 2 == 0 ? 8192 : -8192) : Input{.seed = 43}.value<T>(rank, index);
        };
        std::vector<T> values;
        for (std::int64_t index = 0; index < kCount; ++index) values.push_back(value(comm.rank(), index));
        const Guarded<T> result = sum_of(comm, values);
        EXPECT_TRUE(Reference<T>(value, comm.size(), kCount).check(result.data(), kCount, codec, algorithm));
      });
    }
  }
}

}  // namespace
}  // namespace qr_test
