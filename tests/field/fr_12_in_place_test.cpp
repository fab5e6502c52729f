// FR-12: MPI_IN_PLACE gives the bits of the same call with two buffers, and is refused where it does not
// belong.
#include <gtest/gtest.h>
#include <mpi.h>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

template <class T>
void compare(const Comm& comm, std::int64_t count) {
  Guarded<T> send(count), recv(count), in_place(count);
  Input{.seed = 12}.fill(send.data(), count, comm.rank());
  in_place.assign(send.data());
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), count, comm.get())));
  EXPECT_TRUE(succeeded(sum_in_place(in_place.data(), count, comm.get())));
  EXPECT_TRUE(in_place.holds(recv.data())) << Format<T>::kName << ", count " << count;
  EXPECT_TRUE(in_place.guards_intact());
}

TEST(Fr12InPlace, EqualsTheCallWithTwoBuffers) {
  const Comm comm;
  for (const Codec& codec : codecs()) {
    for (const char* algorithm : {"exchange", "two_shot", "auto", "mpi"}) {
      SCOPED_TRACE(codec.name + " " + algorithm);
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      for (const std::int64_t count : {1, 3, 100, 4097}) {
        for_all_types([&]<class T>() { compare<T>(comm, count); });
      }
    }
  }
}

TEST(Fr12InPlace, IsNoReceiveBuffer) {
  const Comm comm;
  float value = 3;
  for (const int count : {1, 100}) {
    EXPECT_TRUE(failed_with(qr_mpi_allreduce(&value, MPI_IN_PLACE, count, MPI_FLOAT, MPI_SUM, comm.get()),
                            QR_MPI_ERR_BUFFER));
    EXPECT_TRUE(
        failed_with(qr_mpi_allreduce(MPI_IN_PLACE, MPI_IN_PLACE, count, MPI_FLOAT, MPI_SUM, comm.get()),
                    QR_MPI_ERR_BUFFER));
  }
  int number = 1;
  EXPECT_NE(qr_mpi_allreduce(&number, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm.get()), MPI_SUCCESS);
  EXPECT_EQ(value, 3);
  EXPECT_TRUE(succeeded(sum_in_place(&value, 1, comm.get())));
  EXPECT_EQ(value, static_cast<float>(3 * comm.size()));
}

}  // namespace
}  // namespace qr_test
