// Sums with every codec, type and algorithm, at the sizes where blocks, packets and shares end, at any
// alignment.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kPacket = 2048;

/// Elements by which the buffers of a call miss a 64-byte boundary.
struct Variant {
  bool in_place;
  std::int64_t send_offset, recv_offset;
};
constexpr Variant kVariants[] = {{false, 0, 0}, {false, 1, 0}, {false, 0, 3}, {false, 7, 7}, {false, 3, 1},
                                 {true, 0, 0},  {true, 1, 1},  {true, 3, 3},  {true, 7, 7}};

std::set<std::int64_t> counts_for(int world) {
  const std::int64_t deal = world * kPacket;  // two_shot: a packet for each rank
  return {0, 1, 2, 7, 31, 32, 33, kPacket - 1, kPacket, kPacket + 1, deal - 1, deal, deal + 1};
}

/// One communicator and one reference a type serve all cases: only the settings change between them.
class Shared {
 public:
  MPI_Comm comm() { return comm_.get(); }
  template <class T>
  const Reference<T>& reference() {
    static std::optional<Reference<T>> made;
    const int world = world_size();
    if (!made) made.emplace(Input{.seed = 11, .pattern = Pattern::kMixed}, world, world * kPacket + 1);
    return *made;
  }

 private:
  Comm comm_;
};
std::optional<Shared> shared;

struct Case {
  Codec codec;
  std::string algorithm, type;
  void (*run)(const Case&);
};

template <class T>
void check_call(const Case& test, std::int64_t count, const Variant& variant, const std::vector<T>& input,
                std::vector<T>& first_result, BitLedger& ledger) {
  Guarded<T> send(variant.in_place ? 0 : count, variant.send_offset);
  Guarded<T> recv(count, variant.recv_offset);
  (variant.in_place ? recv : send).assign(input.data());
  const void* source = variant.in_place ? MPI_IN_PLACE : static_cast<const void*>(send.data());
  const int code = qr_mpi_allreduce(source, recv.data(), static_cast<int>(count), Format<T>::datatype(),
                                    MPI_SUM, shared->comm());
  SCOPED_TRACE(testing::Message() << "count " << count << (variant.in_place ? ", in place" : "")
                                  << ", offsets " << variant.send_offset << ", " << variant.recv_offset);
  // After a failure the calls go on, to stay in step with the other ranks, but not the noise.
  if (testing::Test::HasFailure()) return;
  EXPECT_TRUE(succeeded(code));
  EXPECT_TRUE(recv.guards_intact());
  EXPECT_TRUE(send.guards_intact());
  if (!variant.in_place) {
    EXPECT_TRUE(send.holds(input.data())) << "in the send buffer";
  }
  if (first_result.empty()) {
    first_result.assign(recv.data(), recv.data() + count);
    const Reference<T>& reference = shared->reference<T>();
    EXPECT_TRUE(own_road_expected() ? reference.check(recv.data(), count, test.codec, test.algorithm)
                                    : reference.check(recv.data(), count, {"raw", 0}, "mpi"));
    ledger.note(std::to_string(count), recv.data(), static_cast<std::size_t>(count) * sizeof(T));
  } else {
    EXPECT_TRUE(recv.holds(first_result.data())) << "place or alignment changed the result";
  }
}

template <class T>
void run_case(const Case& test) {
  const int world = world_size(), rank = world_rank();
  use(shared->comm(), {{"codec", test.codec.name}, {"algorithm", test.algorithm}});
  std::vector<T> input(static_cast<std::size_t>(world * kPacket + 1));
  Input{.seed = 11, .pattern = Pattern::kMixed}.fill(input.data(), static_cast<std::int64_t>(input.size()),
                                                     rank);
  BitLedger ledger;
  for (const std::int64_t count : counts_for(world)) {
    if (world > 1 && count > 0) {
      const Plan plan = plan_of(shared->comm(), count, Format<T>::datatype());
      EXPECT_EQ(plan.algorithm, own_road_expected() ? test.algorithm : "mpi") << plan.reason;
      EXPECT_EQ(plan.codec, own_road_expected() ? test.codec.name : "raw") << plan.reason;
    }
    std::vector<T> first_result;
    for (const Variant& variant : kVariants) check_call(test, count, variant, input, first_result, ledger);
  }
  EXPECT_TRUE(ledger.equal_on_all_ranks(shared->comm())) << "by count";
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      const auto add = [&]<class T>() { list.push_back({codec, algorithm, Format<T>::kName, run_case<T>}); };
      for_types_of(codec, add);
    }
  }
  return list;
}

class Allreduce : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { shared.emplace(); }
  static void TearDownTestSuite() { shared.reset(); }
};

TEST_P(Allreduce, StaysWithinTheBoundAtEverySizeAndAlignment) { GetParam().run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Codecs, Allreduce, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.codec.name + "_" + test.param.type + "_" + test.param.algorithm;
});

}  // namespace
}  // namespace qr_test
