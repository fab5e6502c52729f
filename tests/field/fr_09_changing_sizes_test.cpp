// FR-09: ten thousand calls back to back, each of a size, codec, type and algorithm drawn at random, while
// random ranks are late. QR_TEST_SEED repeats a run, whose seed is printed.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr int kCalls = 10'000;
constexpr std::int64_t kLongest = 1'050'001;
constexpr int kVectors = 3;  // consecutive calls reduce different ones, so stale data shows

/// Alike on all ranks.
std::uint64_t agreed_seed() {
  const char* text = std::getenv("QR_TEST_SEED");
  std::uint64_t seed =
      text != nullptr
          ? std::strtoull(text, nullptr, 10)
          : mixed(static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  must(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  return seed;
}

/// low <= result <= high, each magnitude as likely as the next.
std::int64_t draw_between(std::int64_t low, std::int64_t high, Random& random) {
  const double share = unit(random.next());
  const double ratio = static_cast<double>(high + 1) / static_cast<double>(low);
  return std::clamp(static_cast<std::int64_t>(static_cast<double>(low) * std::pow(ratio, share)), low, high);
}

/// Any size there is; the long ones seldom, for they take a hundred times as long.
std::int64_t draw_count(Random& random) {
  const std::int64_t draw = random.below(100);
  if (draw < 2) return draw_between(65'536, kLongest, random);
  if (draw < 30) return draw_between(2048, 65'535, random);
  return draw_between(1, 2047, random);
}

/// A rank now and then comes late, seldom so late that the others sleep. They know nothing of it.
void dawdle(Random& own_random) {
  const std::int64_t draw = own_random.below(4096);
  if (draw == 0) return sleep_ms(25);
  if (draw < 256) sleep_us(static_cast<int>(own_random.below(300)));
}

/// What one call does.
struct Call {
  MPI_Comm comm;
  int vector;
  std::int64_t count;
  bool in_place;
};

/// The digest of every prefix of whole blocks.
template <class T>
std::vector<std::uint64_t> prefix_digests(const T* values, std::int64_t count) {
  std::vector<std::uint64_t> digests = {0};
  for (std::int64_t first = 0; first + kBlock <= count; first += kBlock) {
    digests.push_back(mixed(digests.back() + digest(values + first, kBlock * sizeof(T))));
  }
  return digests;
}

/// Calls with one type. A value's bits depend on its index and not on the count, so any result can be
/// compared with that of the longest vector, which is made and checked beforehand; the last block, if the
/// count cuts it, is checked for itself.
template <class T>
class Vectors {
 public:
  Vectors(const Comm& comm, BitLedger& ledger) : ledger_(ledger), recv_(kLongest + 1) {
    for (int vector = 0; vector < kVectors; ++vector) {
      send_.emplace_back(kLongest);
      input_of(vector).fill(send_.back().data(), kLongest, comm.rank());
      const Share share = share_of(kLongest, comm.rank(), comm.size());
      const Reference<T> reference(input_of(vector), comm.size(), share.count, share.first);
      for (const Codec& codec : codecs()) {
        if (std::is_same_v<T, double> && !codec.exact()) continue;
        for (const std::string& algorithm : kAlgorithms) {
          SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName + ", the longest vector");
          use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
          EXPECT_TRUE(succeeded(sum(send_.back().data(), recv_.data(), kLongest, comm.get())));
          // Of this rank's share; the others' shares are right if the bits are equal.
          EXPECT_TRUE(reference.check(recv_.data() + share.first, share.count, codec, algorithm));
          ledger_.note("the longest vector, " + codec.name + " " + algorithm, recv_.data(),
                       kLongest * sizeof(T));
          wanted_[{vector, codec.name, algorithm}] = {codec, prefix_digests(recv_.data(), kLongest)};
        }
      }
    }
  }

  /// After a failure the calls go on, to stay in step with the other ranks, but not the noise.
  void run(const Call& call) {
    const T* send = send_[static_cast<std::size_t>(call.vector)].data();
    const std::size_t bytes = static_cast<std::size_t>(call.count) * sizeof(T);
    std::fill_n(recv_.begin(), call.count + 1, unwritten());
    if (call.in_place) std::memcpy(recv_.data(), send, bytes);
    const int code = call.in_place ? sum_in_place(recv_.data(), call.count, call.comm)
                                   : sum(send, recv_.data(), call.count, call.comm);
    const Plan plan = plan_of(call.comm, call.count, Format<T>::datatype());
    const std::string what = plan.codec + " " + plan.algorithm + " " + Format<T>::kName + ", count " +
                             std::to_string(call.count) + (call.in_place ? ", in place" : "");
    ledger_.note(what, recv_.data(), bytes);
    if (testing::Test::HasFailure()) return;
    SCOPED_TRACE(what);
    EXPECT_TRUE(succeeded(code));
    EXPECT_TRUE(right(call, plan));
    EXPECT_EQ(bits_of(recv_[static_cast<std::size_t>(call.count)]), bits_of(unwritten()))
        << "the element after the last";
  }

 private:
  struct Wanted {
    Codec codec;
    std::vector<std::uint64_t> prefixes;
  };

  static Input input_of(int vector) { return {.seed = 90 + static_cast<std::uint64_t>(vector)}; }
  /// A large number in every type, and no result.
  static T unwritten() {
    return std::bit_cast<T>(static_cast<typename Format<T>::Bits>(0x5B5B'5B5B'5B5B'5B5BULL));
  }

  [[nodiscard]] testing::AssertionResult right(const Call& call, const Plan& plan) const {
    const auto found = wanted_.find({call.vector, plan.codec, plan.algorithm});
    if (found == wanted_.end()) return testing::AssertionFailure() << "not a road of the library's own";
    const auto& [codec, prefixes] = found->second;
    const std::vector<std::uint64_t> digests = prefix_digests(recv_.data(), call.count);
    if (digests.back() != prefixes[digests.size() - 1]) {
      const auto different = std::mismatch(digests.begin(), digests.end(), prefixes.begin()).first;
      return testing::AssertionFailure()
             << "block " << different - digests.begin() - 1 << " of " << digests.size() - 1
             << " has not the bits that it has in a longer vector";
    }
    const std::int64_t rest = call.count % kBlock;
    if (rest == 0) return testing::AssertionSuccess();
    const std::int64_t first = call.count - rest;
    return Reference<T>(input_of(call.vector), world_size(), rest, first)
        .check(recv_.data() + first, rest, codec, plan.algorithm);
  }

  BitLedger& ledger_;
  std::vector<std::vector<T>> send_;
  std::vector<T> recv_;
  std::map<std::tuple<int, std::string, std::string>, Wanted> wanted_;
};

/// Sizes below a drawn min_bytes stay raw, so that codecs follow each other with nothing between.
void draw_settings(MPI_Comm comm, Random& random) {
  const auto any_of = [&random](const auto& list) {
    return list[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(std::size(list))))];
  };
  const std::string shortest[] = {"0", "0", "1000", "10000", "100000"};
  const std::string codec = any_of(codecs()).name;
  const std::string algorithm = any_of(kAlgorithms);
  use(comm, {{"codec", codec}, {"algorithm", algorithm}, {"min_bytes", any_of(shortest)}});
}

TEST(Fr09ChangingSizes, TenThousandRandomCallsWithLateRanks) {
  allow_time(4);
  const std::uint64_t seed = agreed_seed();
  if (world_rank() == 0) std::printf("QR_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  SCOPED_TRACE(testing::Message() << "QR_TEST_SEED=" << seed);
  // Setting a codec is collective. So that codecs and algorithms also follow each other with nothing between,
  // calls go to two communicators in turn.
  const Comm comms[2];
  for (const Comm& comm : comms) use(comm.get(), {{"timeout_ms", "60000"}});
  BitLedger ledger;
  Vectors<Float16> half(comms[0], ledger);
  Vectors<BFloat16> bfloat(comms[0], ledger);
  Vectors<float> single(comms[0], ledger);
  Vectors<double> wide(comms[0], ledger);

  Random common(seed), own(seed + 1 + static_cast<std::uint64_t>(world_rank()));
  for (const Comm& comm : comms) draw_settings(comm.get(), common);
  for (int number = 0; number < kCalls; ++number) {
    const Comm& comm = comms[common.below(2)];
    if (common.below(16) == 0) draw_settings(comm.get(), common);
    const Call call{comm.get(), number % kVectors, draw_count(common), common.below(2) == 0};
    SCOPED_TRACE(testing::Message() << "call " << number);
    dawdle(own);
    switch (common.below(4)) {
      case 0:
        half.run(call);
        break;
      case 1:
        bfloat.run(call);
        break;
      case 2:
        single.run(call);
        break;
      default:
        wide.run(call);
        break;
    }
  }
  EXPECT_TRUE(ledger.equal_on_all_ranks(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace qr_test
