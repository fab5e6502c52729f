// The whole range of each type: every magnitude from the smallest subnormal to the largest finite value, and
// overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"

namespace qr_test {
namespace {

/// What lies beside the largest value of a block.
enum class Neighbours {
  kNear,   // smaller by up to 18 powers of two
  kAny,    // anything from there down to the smallest subnormal, and zeros of both signs
  kZeros,  // of both signs
};

/// One block for each binary exponent of T, from the smallest subnormal to the largest finite value. The
/// block's largest value belongs to one rank.
template <class T>
T value_in_sweep(Neighbours neighbours, int rank, std::int64_t index, int world) {
  const std::int64_t block = index / kBlock;
  const int lowest = Format<T>::kMinExponent - Format<T>::kMantissa;
  const int exponent = lowest + static_cast<int>(block);
  const std::uint64_t hash = mixed(static_cast<std::uint64_t>(index * 256 + rank));
  const double sign = (hash & 1) != 0 ? -1 : 1;
  if (rank == block % world && index % kBlock == block * 7 % kBlock) {
    if (exponent == lowest) return rounded<T>(sign * smallest_subnormal<T>());
    return rounded<T>(sign *
                      (exponent == Format<T>::kMaxExponent ? largest<T>() : std::ldexp(1.75, exponent)));
  }
  const auto draw = static_cast<std::int64_t>(hash >> 1 & 0xffff);
  if (neighbours == Neighbours::kZeros || (neighbours == Neighbours::kAny && draw % 8 == 0)) {
    return rounded<T>(sign * 0.0);
  }
  const std::int64_t below = neighbours == Neighbours::kNear ? 4 + draw % 16 : 1 + draw % (block + 1);
  return rounded<T>(sign * std::ldexp(1 + unit(mixed(hash)), exponent - static_cast<int>(below)));
}

template <class T>
constexpr std::int64_t sweep_count() {
  return kBlock * (Format<T>::kMaxExponent - Format<T>::kMinExponent + Format<T>::kMantissa + 1);
}

/// f<T>(codec, algorithm), with the settings in force.
template <class F>
void for_roads(const Comm& comm, F&& f) {
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      for_types_of(codec, [&]<class T>() {
        SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName);
        f.template operator()<T>(codec, algorithm);
      });
    }
  }
}

/// Reduces what `value_of` says and checks the result against the bound.
template <class T>
std::vector<T> checked(const Comm& comm, const typename Reference<T>::ValueOf& value_of, std::int64_t count,
                       const Codec& codec, const std::string& algorithm) {
  std::vector<T> send(static_cast<std::size_t>(count)), recv(send.size());
  for (std::int64_t index = 0; index < count; ++index) {
    send[static_cast<std::size_t>(index)] = value_of(comm.rank(), index);
  }
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), count, comm.get())));
  const Reference<T> reference(value_of, comm.size(), count);
  EXPECT_TRUE(reference.check(recv.data(), count, codec, algorithm));
  EXPECT_TRUE(equal_on_all_ranks(recv.data(), recv.size() * sizeof(T), comm.get()));
  return recv;
}

void sweep(Neighbours neighbours) {
  const Comm comm;
  for_roads(comm, [&]<class T>(const Codec& codec, const std::string& algorithm) {
    const auto value = [neighbours, world = comm.size()](int rank, std::int64_t index) {
      return value_in_sweep<T>(neighbours, rank, index, world);
    };
    checked<T>(comm, value, sweep_count<T>(), codec, algorithm);
  });
}

TEST(Range, EveryMagnitudeOfEveryTypeIsWithinTheBound) { sweep(Neighbours::kNear); }
TEST(Range, NeighboursOfAnyScaleAreWithinTheBound) { sweep(Neighbours::kAny); }
TEST(Range, SpikesAmongZerosAreWithinTheBound) { sweep(Neighbours::kZeros); }

/// Blocks that consist of one value, everywhere: the largest values of the type and the steps below them,
/// both signs.
TEST(Range, SharesOfTheLargestValueAddUpToIt) {
  const Comm comm;
  for_roads(comm, [&]<class T>(const Codec& codec, const std::string& algorithm) {
    const int world = comm.size();
    const auto value = [world](int, std::int64_t index) {
      const double share = largest<T>() / world * (1 - static_cast<double>(index / kBlock % 8) / 64);
      return rounded<T>((index & 1) != 0 ? -share : share);
    };
    checked<T>(comm, value, 8 * kBlock, codec, algorithm);
  });
}

/// All ranks send values whose sum is out of range: lossy codecs stay finite, raw follows IEEE.
TEST(Range, SumsThatOverflowSaturateOrBecomeInfinite) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank cannot overflow";
  for_roads(comm, [&]<class T>(const Codec& codec, const std::string& algorithm) {
    const auto value = [](int, std::int64_t index) {
      const double part = index % 5 == 0 ? 1.0 : 0.9375;
      return rounded<T>((index & 1) != 0 ? -part * largest<T>() : part * largest<T>());
    };
    const std::vector<T> result = checked<T>(comm, value, 3 * kBlock + 5, codec, algorithm);
    for (std::size_t index = 0; index < result.size(); ++index) {
      const double is = qr_test::value_of(result[index]);
      ASSERT_EQ(std::isfinite(is), !codec.exact()) << is << " at " << index;
      ASSERT_EQ(is < 0, index % 2 == 1) << is << " at " << index;
    }
  });
}

/// The running sum leaves the range, the whole sum does not: largest + largest - largest.
TEST(Range, ALossyRunningSumThatOverflowsComesBack) {
  const Comm comm;
  if (comm.size() < 3) GTEST_SKIP() << "needs 3 ranks";
  for_roads(comm, [&]<class T>(const Codec& codec, const std::string& algorithm) {
    if (codec.exact() && !kIs16Bit<T>) return;
    if (codec.exact() && std::is_same_v<T, BFloat16>) return;  // an fp32 sum has bfloat16's range
    const auto value = [](int rank, std::int64_t index) {
      const double part = rank < 2 ? 1 : rank == 2 ? -1 : 0;
      return rounded<T>(part * (index % 3 == 0 ? 0.75 : 0.625) * largest<T>());
    };
    checked<T>(comm, value, 2 * kBlock, codec, algorithm);
  });
}

/// Blocks that a lossy codec may drop come back as themselves, roughly, or as zero, but never as anything
/// larger.
TEST(Range, FaintBlocksNeverGrow) {
  const Comm comm;
  for_roads(comm, [&]<class T>(const Codec& codec, const std::string& algorithm) {
    const double tiny = smallest_subnormal<T>();
    const auto value = [tiny](int rank, std::int64_t index) {
      return rounded<T>(tiny * static_cast<double>((index * 3 + rank) % 5 - 2));
    };
    checked<T>(comm, value, 4 * kBlock, codec, algorithm);
  });
}

}  // namespace
}  // namespace qr_test
