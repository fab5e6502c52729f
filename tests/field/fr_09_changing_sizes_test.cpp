// FR-09: ten thousand calls back to back, each with another size, codec, type and algorithm, while random
// ranks are late.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
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
constexpr std::int64_t kLongest = 1 << 20;
constexpr int kVectors = 3;  // consecutive calls reduce different ones, so stale data shows

/// The sizes of the report, the long ones seldom: they take a hundred times as long.
std::int64_t draw_count(Random& random) {
  const std::int64_t draw = random.below(200);
  if (draw == 0) return kLongest;
  if (draw < 6) return 65'536;
  constexpr std::int64_t kOften[] = {1, 32, 2048, 16'384, 16'385};
  return kOften[draw % 5];
}

/// A rank now and then comes late. The others know nothing of it.
void dawdle(Random& own_random) {
  if (own_random.below(16) == 0) sleep_us(static_cast<int>(own_random.below(300)));
}

Codec codec_named(const std::string& name) {
  for (const Codec& codec : codecs()) {
    if (codec.name == name) return codec;
  }
  return {name, 0};
}

/// What one call does.
struct Call {
  MPI_Comm comm;
  int vector;
  std::int64_t count;
  bool in_place;
};

template <class T>
class Vectors {
 public:
  Vectors() : share_(share_of(kLongest, world_rank(), world_size())), recv_(kLongest) {
    for (int vector = 0; vector < kVectors; ++vector) {
      const Input input{.seed = 90 + static_cast<std::uint64_t>(vector)};
      references_.emplace_back(input, world_size(), share_.count, share_.first);
      send_.emplace_back(kLongest);
      input.fill(send_.back().data(), kLongest, world_rank());
    }
  }

  /// A result is checked against the bound when it comes first, and against its bits from then on. After a
  /// failure the calls go on, to stay in step with the other ranks, but not the noise.
  void run(const Call& call) {
    const T* send = send_[static_cast<std::size_t>(call.vector)].data();
    const std::size_t bytes = static_cast<std::size_t>(call.count) * sizeof(T);
    if (call.in_place) std::memcpy(recv_.data(), send, bytes);
    const int code = call.in_place ? sum_in_place(recv_.data(), call.count, call.comm)
                                   : sum(send, recv_.data(), call.count, call.comm);
    if (testing::Test::HasFailure()) return;
    const Plan plan = plan_of(call.comm, call.count, Format<T>::datatype());
    SCOPED_TRACE(testing::Message() << plan.codec << " " << plan.algorithm << " " << Format<T>::kName
                                    << ", count " << call.count << (call.in_place ? ", in place" : ""));
    EXPECT_TRUE(succeeded(code));
    const std::uint64_t bits = digest(recv_.data(), bytes);
    const auto [known, is_new] =
        digests_.try_emplace({call.vector, call.count, plan.codec, plan.algorithm}, bits);
    EXPECT_EQ(known->second, bits) << "not the bits of the same call before";
    if (!is_new || call.count <= share_.first) return;
    const Reference<T>& reference = references_[static_cast<std::size_t>(call.vector)];
    EXPECT_TRUE(reference.check(recv_.data() + share_.first,
                                std::min(call.count - share_.first, share_.count), codec_named(plan.codec),
                                plan.algorithm));
  }

  [[nodiscard]] testing::AssertionResult equal_on_all_ranks(MPI_Comm comm) const {
    BitLedger ledger;
    for (const auto& [key, bits] : digests_) {
      const auto& [vector, count, codec, algorithm] = key;
      ledger.note(std::to_string(vector) + " " + std::to_string(count) + " " + codec + " " + algorithm, &bits,
                  sizeof(bits));
    }
    return ledger.equal_on_all_ranks(comm);
  }

 private:
  Share share_;
  std::vector<Reference<T>>
      references_;  // of this rank's share; the others' shares are right if the bits are equal
  std::vector<std::vector<T>> send_;
  std::vector<T> recv_;
  std::map<std::tuple<int, std::int64_t, std::string, std::string>, std::uint64_t> digests_;
};

void draw_settings(MPI_Comm comm, Random& random) {
  const auto& all = codecs();
  const std::string algorithms[] = {"exchange", "two_shot", "auto"};
  use(comm,
      {{"codec", all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))].name},
       {"algorithm", algorithms[random.below(3)]}});
}

TEST(Fr09ChangingSizes, TenThousandCallsWithLateRanks) {
  allow_time(4);
  // Setting a codec is collective. So that codecs also follow each other with nothing between, calls go to
  // two communicators in turn, and doubles, which stay raw, come between the other types on both.
  const Comm comms[2];
  for (const Comm& comm : comms) use(comm.get(), {{"timeout_ms", "60000"}});
  Vectors<Float16> half;
  Vectors<BFloat16> bfloat;
  Vectors<float> single;
  Vectors<double> wide;

  Random common(9), own(900 + static_cast<std::uint64_t>(world_rank()));
  for (int number = 0; number < kCalls; ++number) {
    const Comm& comm = comms[common.below(2)];
    if (common.below(20) == 0) draw_settings(comm.get(), common);
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
  EXPECT_TRUE(half.equal_on_all_ranks(MPI_COMM_WORLD));
  EXPECT_TRUE(bfloat.equal_on_all_ranks(MPI_COMM_WORLD));
  EXPECT_TRUE(single.equal_on_all_ranks(MPI_COMM_WORLD));
  EXPECT_TRUE(wide.equal_on_all_ranks(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace qr_test
