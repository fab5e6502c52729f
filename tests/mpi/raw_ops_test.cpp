// raw: SUM, PROD, MIN and MAX on all four types, bit for bit the rank-order result, one rounding for the
// 16-bit types.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

struct Operation {
  const char* name;
  MPI_Op op;
  Pattern pattern;
};
const Operation kOperations[] = {{"sum", MPI_SUM, Pattern::kMixed},
                                 {"prod", MPI_PROD, Pattern::kFactors},
                                 {"min", MPI_MIN, Pattern::kMixed},
                                 {"max", MPI_MAX, Pattern::kMixed}};

template <class Number>
Number combine(MPI_Op op, Number a, Number b) {
  if (op == MPI_SUM) return a + b;
  if (op == MPI_PROD) return a * b;
  if (op == MPI_MIN) return b < a ? b : a;
  return a < b ? b : a;
}

/// What all ranks' inputs give, added up in rank order.
template <class T>
Accumulator<T> in_rank_order(const Input& input, MPI_Op op, int world, std::int64_t index) {
  auto total = static_cast<Accumulator<T>>(value_of(input.value<T>(0, index)));
  for (int rank = 1; rank < world; ++rank) {
    total = combine(op, total, static_cast<Accumulator<T>>(value_of(input.value<T>(rank, index))));
  }
  return total;
}

template <class T>
std::vector<T> reduce(const Comm& comm, const Input& input, std::int64_t count, MPI_Op op) {
  std::vector<T> send(static_cast<std::size_t>(count));
  input.fill(send.data(), count, comm.rank());
  Guarded<T> recv(count, 1);
  EXPECT_TRUE(succeeded(qr_mpi_allreduce(send.data(), recv.data(), static_cast<int>(count),
                                         Format<T>::datatype(), op, comm.get())));
  EXPECT_TRUE(recv.guards_intact());
  EXPECT_TRUE(equal_on_all_ranks(recv.data(), static_cast<std::size_t>(count) * sizeof(T), comm.get()));
  return std::vector<T>(recv.data(), recv.data() + count);
}

TEST(RawOps, AreTheRankOrderResultBitForBit) {
  const Comm comm;
  const std::int64_t count = comm.size() * 2048 + 77;
  for (const std::string& algorithm : kAlgorithms) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", algorithm}});
    for (const Operation& operation : kOperations) {
      for_all_types([&]<class T>() {
        SCOPED_TRACE(algorithm + " " + operation.name + " " + Format<T>::kName);
        const Input input{.seed = 31, .pattern = operation.pattern};
        const std::vector<T> result = reduce<T>(comm, input, count, operation.op);
        int different = 0;
        for (std::int64_t index = 0; index < count; ++index) {
          const T wanted = rounded<T>(in_rank_order<T>(input, operation.op, comm.size(), index));
          const T is = result[static_cast<std::size_t>(index)];
          // MIN and MAX may return either of two zeros.
          const bool zeros =
              value_of(is) == 0 && value_of(wanted) == 0 && operation.pattern == Pattern::kMixed;
          different += bits_of(is) != bits_of(wanted) && !zeros;
        }
        EXPECT_EQ(different, 0) << "of " << count;
      });
    }
  }
}

/// The same calls when the data goes through MPI, which adds in an order of its own.
TEST(RawOps, AreAsGoodOnTheRoadThroughMpi) {
  const Comm comm;
  const std::int64_t count = 3000;
  use(comm.get(), {{"codec", "raw"}, {"algorithm", "mpi"}});
  for (const Operation& operation : kOperations) {
    for_all_types([&]<class T>() {
      SCOPED_TRACE(std::string(operation.name) + " " + Format<T>::kName);
      if (comm.size() > 1) {
        EXPECT_EQ(plan_of(comm.get(), count, Format<T>::datatype(), operation.op).algorithm, "mpi");
      }
      const Input input{.seed = 32, .pattern = operation.pattern};
      const std::vector<T> result = reduce<T>(comm, input, count, operation.op);
      double worst = 0;  // error over what is allowed
      for (std::int64_t index = 0; index < count; ++index) {
        double magnitudes = 0;
        for (int rank = 0; rank < comm.size(); ++rank)
          magnitudes += std::fabs(value_of(input.value<T>(rank, index)));
        const double wanted = in_rank_order<T>(input, operation.op, comm.size(), index);
        if (operation.op == MPI_PROD) magnitudes = std::fabs(wanted);
        const double order = operation.op == MPI_SUM || operation.op == MPI_PROD
                                 ? 2 * (comm.size() - 1) * half_ulp<Accumulator<T>>(1) * magnitudes
                                 : 0;
        const double rounding = kIs16Bit<T> ? half_ulp<T>(wanted) : 0;
        const double off = std::fabs(value_of(result[static_cast<std::size_t>(index)]) - wanted);
        if (off > 0) worst = std::max(worst, off / (order + rounding));
      }
      EXPECT_LE(worst, 1.0);
    });
  }
}

/// MPI is the oracle where no order of additions can matter.
TEST(RawOps, EqualMpiWhereTheResultIsExact) {
  const Comm comm;
  constexpr int kCount = 5000;
  const Input input{.seed = 33, .pattern = Pattern::kIntegers};
  for (const std::string& algorithm : kAlgorithms) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", algorithm}});
    for (MPI_Op op : {MPI_SUM, MPI_MIN, MPI_MAX}) {
      const std::vector<float> result = reduce<float>(comm, input, kCount, op);
      std::vector<float> send(kCount), wanted(kCount);
      input.fill(send.data(), kCount, comm.rank());
      must(MPI_Allreduce(send.data(), wanted.data(), kCount, MPI_FLOAT, op, comm.get()));
      EXPECT_EQ(result, wanted) << algorithm;
    }
  }
}

/// fp32 sums of 16-bit values: small integers come out exact, and no addend is lost to a 16-bit running sum.
template <class T>
void add_small_to_large() {
  const Comm comm;
  const double step = 2 * half_ulp<T>(1);  // of values just above 1
  for (const std::string& algorithm :
       {std::string("exchange"), std::string("two_shot"), std::string("mpi")}) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", algorithm}});
    std::vector<T> send(64, rounded<T>(comm.rank() == 0 ? 1 : step / 2)), recv(64);
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 64, comm.get())));
    const T wanted = rounded<T>(1 + (comm.size() - 1) * step / 2);
    for (const T& value : recv) ASSERT_EQ(value_of(value), value_of(wanted)) << algorithm;
  }
}
TEST(RawOps, KeepHalvesOfAStepInFloat16) { add_small_to_large<Float16>(); }
TEST(RawOps, KeepHalvesOfAStepInBFloat16) { add_small_to_large<BFloat16>(); }

}  // namespace
}  // namespace qr_test
