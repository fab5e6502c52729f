// FR-27: an odd byte address of a 16-bit type is an error before anything moves. Element offsets are in
// mpi/allreduce_test.
#include <gtest/gtest.h>
#include <mpi.h>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

class Fr27Alignment : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { use(comm_.get(), {{"algorithm", GetParam()}}); }
  Comm comm_;
};

/// Calls with the buffers moved by these bytes from where they should be.
template <class T>
void expect_refusal(const Comm& comm, std::size_t send_odd, std::size_t recv_odd) {
  constexpr std::int64_t kCount = 100;
  SCOPED_TRACE(testing::Message() << Format<T>::kName << ", moved by " << send_odd << " and " << recv_odd
                                  << " bytes");
  Guarded<unsigned char> send(kCount * static_cast<std::int64_t>(sizeof(T)), 0, send_odd);
  Guarded<unsigned char> recv(kCount * static_cast<std::int64_t>(sizeof(T)), 0, recv_odd);
  const std::vector<unsigned char> zeros(kCount * sizeof(T), 0),
      before(recv.data(), recv.data() + recv.count());
  send.assign(zeros.data());
  const auto call = [&](const void* from, void* to) {
    return qr_mpi_allreduce(from, to, kCount, Format<T>::datatype(), MPI_SUM, comm.get());
  };
  EXPECT_TRUE(failed_with(call(send.data(), recv.data()), QR_MPI_ERR_BUFFER));
  EXPECT_TRUE(last_error_says("align"));
  EXPECT_TRUE(recv.holds(before.data()));
  EXPECT_TRUE(recv.guards_intact());
  if (recv_odd != 0) {
    EXPECT_TRUE(failed_with(call(MPI_IN_PLACE, recv.data()), QR_MPI_ERR_BUFFER));
  }
}

TEST_P(Fr27Alignment, OddAddressesAreRefused) {
  for (const auto& [send, recv] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1), std::pair(7, 3)}) {
    expect_refusal<Float16>(comm_, static_cast<std::size_t>(send), static_cast<std::size_t>(recv));
    expect_refusal<BFloat16>(comm_, static_cast<std::size_t>(send), static_cast<std::size_t>(recv));
  }
}

TEST_P(Fr27Alignment, SoAreWiderTypesBetweenTheirElements) {
  for (const std::size_t odd : {1U, 2U, 3U}) expect_refusal<float>(comm_, odd, 0);
  for (const std::size_t odd : {1U, 2U, 4U}) expect_refusal<double>(comm_, 0, odd);
}

TEST_P(Fr27Alignment, TheCommunicatorWorksOn) {
  expect_refusal<BFloat16>(comm_, 1, 0);
  float value = 1, result = 0;
  EXPECT_TRUE(succeeded(sum(&value, &result, 1, comm_.get())));
  EXPECT_EQ(result, static_cast<float>(comm_.size()));
}

INSTANTIATE_TEST_SUITE_P(Roads, Fr27Alignment, testing::Values("exchange", "two_shot"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace qr_test
