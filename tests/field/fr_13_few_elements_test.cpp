// FR-13: no elements, without buffers too, and fewer elements than ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// The exact sum of small integers, in every type; `count` of them.
template <class T>
void expect_exact(const Comm& comm, std::int64_t count) {
  const Input input{.seed = 13, .pattern = Pattern::kIntegers};
  std::vector<T> send(static_cast<std::size_t>(count)), recv(send.size());
  input.fill(send.data(), count, comm.rank());
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), count, comm.get())));
  for (std::int64_t index = 0; index < count; ++index) {
    double wanted = 0;
    for (int rank = 0; rank < comm.size(); ++rank) wanted += input.real(rank, index);
    EXPECT_EQ(value_of(recv[static_cast<std::size_t>(index)]), wanted)
        << Format<T>::kName << " " << index << " of " << count;
  }
}

void expect_nothing_needs_no_buffers(const Comm& comm) {
  float value = 42;
  for (MPI_Datatype type : {MPI_FLOAT, MPI_DOUBLE, qr_mpi_type_float16(), MPI_INT}) {
    EXPECT_TRUE(succeeded(qr_mpi_allreduce(nullptr, nullptr, 0, type, MPI_SUM, comm.get())));
    EXPECT_TRUE(succeeded(qr_mpi_allreduce_c(nullptr, nullptr, 0, type, MPI_SUM, comm.get())));
    EXPECT_TRUE(succeeded(qr_mpi_allreduce(&value, &value, 0, type, MPI_SUM, comm.get())));
    EXPECT_TRUE(succeeded(qr_mpi_allreduce(MPI_IN_PLACE, nullptr, 0, type, MPI_SUM, comm.get())));
  }
  EXPECT_EQ(value, 42);
}

TEST(Fr13FewElements, NoneInterleavedWithSome) {
  const Comm comm;
  for (const char* algorithm : {"exchange", "two_shot", "auto", "mpi"}) {
    SCOPED_TRACE(algorithm);
    use(comm.get(), {{"codec", "raw"}, {"algorithm", algorithm}});
    expect_nothing_needs_no_buffers(comm);
    for (const std::int64_t count : {1, 2, 7}) {
      for_all_types([&]<class T>() { expect_exact<T>(comm, count); });
      expect_nothing_needs_no_buffers(comm);
    }
  }
}

TEST(Fr13FewElements, NoneOnAFreshCommunicator) {
  const Comm comm;
  expect_nothing_needs_no_buffers(comm);
  expect_exact<float>(comm, 1);
}

}  // namespace
}  // namespace qr_test
