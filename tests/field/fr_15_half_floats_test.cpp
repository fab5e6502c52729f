// FR-15: sums of 16-bit floats where the data goes through MPI, which does not know them: exact, added up in
// fp32.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

constexpr const char* kRoads[] = {"mpi", "exchange", "two_shot"};

/// The report's 4 x 4 tensor of rank + 1.
template <class T>
void sum_of_rank_numbers() {
  const Comm comm;
  const double wanted = comm.size() * (comm.size() + 1) / 2.0;
  for (const char* road : kRoads) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", road}});
    std::vector<T> send(16, rounded<T>(comm.rank() + 1)), recv(16);
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 16, comm.get())));
    for (const T value : recv) EXPECT_EQ(value_of(value), wanted) << road;
    EXPECT_TRUE(succeeded(sum_in_place(send.data(), 16, comm.get())));
    for (const T value : send) EXPECT_EQ(value_of(value), wanted) << road << ", in place";
  }
}
TEST(Fr15HalfFloats, Float16) { sum_of_rank_numbers<Float16>(); }
TEST(Fr15HalfFloats, BFloat16) { sum_of_rank_numbers<BFloat16>(); }

/// 1 + 3 * 2^-8 rounds to 1.015625; a bfloat16 running sum would stay at 1.
TEST(Fr15HalfFloats, SmallAddendsAreNotLost) {
  const Comm comm;
  const double exact = 1 + (comm.size() - 1) * 0x1p-8;
  if (comm.size() == 4) {
    ASSERT_EQ(value_of(rounded<BFloat16>(exact)), 1.015625);
  }
  for (const char* road : kRoads) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", road}});
    std::vector<BFloat16> send(100, rounded<BFloat16>(comm.rank() == 0 ? 1 : 0x1p-8)), recv(100);
    EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 100, comm.get())));
    for (const BFloat16 value : recv) ASSERT_EQ(value_of(value), value_of(rounded<BFloat16>(exact))) << road;
  }
}

TEST(Fr15HalfFloats, OtherOpsOnTheRoadThroughMpi) {
  const Comm comm;
  use(comm.get(), {{"algorithm", "mpi"}});
  const std::vector<Float16> send(10, rounded<Float16>(comm.rank() + 1));
  std::vector<Float16> recv(10);
  const auto reduce = [&](MPI_Op op) {
    EXPECT_TRUE(
        succeeded(qr_mpi_allreduce(send.data(), recv.data(), 10, qr_mpi_type_float16(), op, comm.get())));
    return value_of(recv.back());
  };
  double factorial = 1;
  for (int rank = 0; rank < comm.size(); ++rank) factorial *= rank + 1;
  EXPECT_EQ(reduce(MPI_MAX), comm.size());
  EXPECT_EQ(reduce(MPI_MIN), 1);
  EXPECT_EQ(reduce(MPI_PROD), factorial);
}

/// Largest magnitude; the library's types may also be used with ops of the program's own.
void largest_magnitude(void* in, void* in_out, int* count, MPI_Datatype* datatype) {
  EXPECT_EQ(*datatype, qr_mpi_type_float16());
  auto* kept = static_cast<Float16*>(in_out);
  for (int index = 0; index < *count; ++index) {
    const Float16 other = static_cast<const Float16*>(in)[index];
    if (std::fabs(value_of(other)) > std::fabs(value_of(kept[index]))) kept[index] = other;
  }
}

TEST(Fr15HalfFloats, UserOps) {
  const Comm comm;
  MPI_Op op = MPI_OP_NULL;
  must(MPI_Op_create(largest_magnitude, 1, &op));
  const std::vector<Float16> send(
      333, rounded<Float16>(comm.rank() % 2 == 0 ? comm.rank() + 1 : -comm.rank() - 1));
  std::vector<Float16> recv(333);
  EXPECT_TRUE(
      succeeded(qr_mpi_allreduce(send.data(), recv.data(), 333, qr_mpi_type_float16(), op, comm.get())));
  const double wanted = comm.size() % 2 == 1 ? comm.size() : -comm.size();
  for (const Float16 value : recv) EXPECT_EQ(value_of(value), wanted);
  must(MPI_Op_free(&op));
}

/// The pairs of the report that no codec covers: the plan says so, and the result is exact.
TEST(Fr15HalfFloats, UnsupportedPairsAreExact) {
  const Comm comm;
  use(comm.get(), {{"codec", "int4"}});
  std::vector<double> send(99, comm.rank() + 0.1), recv(99);
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 99, comm.get())));
  double wanted = 0.1;
  for (int rank = 1; rank < comm.size(); ++rank) wanted += rank + 0.1;
  for (const double value : recv) EXPECT_NEAR(value, wanted, comm.size() * half_ulp<double>(wanted) * 2);

  std::vector<BFloat16> send16(99, rounded<BFloat16>(comm.rank() + 0.1)), recv16(99);
  EXPECT_TRUE(succeeded(
      qr_mpi_allreduce(send16.data(), recv16.data(), 99, qr_mpi_type_bfloat16(), MPI_MAX, comm.get())));
  for (const BFloat16 value : recv16)
    EXPECT_EQ(bits_of(value), bits_of(rounded<BFloat16>(comm.size() - 1 + 0.1)));
}

}  // namespace
}  // namespace qr_test
