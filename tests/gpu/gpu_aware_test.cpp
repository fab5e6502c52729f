// The setting gpu_aware: an MPI that knows devices is given device pointers, and only for what it can reduce
// itself. The MPI_Allreduce of this program knows them, whatever the installed MPI does.
#include <cstring>

#include "device_test.hpp"

namespace {

int device_calls = 0;  // that MPI was given device pointers in

bool is_device(const void* pointer) {
  if (pointer == MPI_IN_PLACE) return false;
  hipPointerAttribute_t attributes{};
  if (hipPointerGetAttributes(&attributes, pointer) != hipSuccess) return hipGetLastError() == hipSuccess;
  return attributes.type == hipMemoryTypeDevice;
}

}  // namespace

extern "C" int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
  if (!is_device(recvbuf)) return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  ++device_calls;
  int width = 0;
  qr_test::must(MPI_Type_size(datatype, &width));
  std::vector<char> send(static_cast<std::size_t>(count) * static_cast<std::size_t>(width));
  std::vector<char> recv(send.size());
  // As MPIs do it: on a stream of its own, that waits for nobody's.
  const qr::Stream stream = qr::create_stream();
  const void* const from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  qr::hip_check(hipMemcpyAsync(send.data(), from, send.size(), hipMemcpyDeviceToHost, stream.get()), "copy");
  qr::hip_check(hipStreamSynchronize(stream.get()), "copy");
  const int code = PMPI_Allreduce(send.data(), recv.data(), count, datatype, op, comm);
  qr::hip_check(hipMemcpyAsync(recvbuf, recv.data(), recv.size(), hipMemcpyHostToDevice, stream.get()),
                "copy");
  qr::hip_check(hipStreamSynchronize(stream.get()), "copy");
  return code;
}

namespace qr_test {
namespace {

class GpuAware : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    use(comm_.get(), {{"algorithm", "mpi"}, {"gpu_aware", "1"}});
    device_calls = 0;
  }
  Comm comm_;
};

TEST_F(GpuAware, GetsThePointersBehindTheStream) {
  constexpr std::int64_t kCount = 700'001;
  const qr::Stream own = qr::create_stream();
  const DeviceArray<float> values(kCount);
  const DeviceArray<float> sums(kCount);
  const DeviceArray<std::uint32_t> counters(2);
  const auto total = static_cast<float>(world_size() * (world_size() + 1) / 2);
  int calls = 0;
  for (const hipStream_t stream : {own.get(), hipStream_t{}}) {
    qr::test::queue_delay(stream, 30000);
    qr::test::queue_fill(stream, values.data(), kCount, static_cast<float>(world_rank() + 1),
                         counters.data());
    ASSERT_TRUE(succeeded(reduce_floats(values.data(), sums.data(), kCount, comm_.get(), stream)));
    qr::test::queue_check(stream, sums.data(), kCount, total, 0.0F, counters.data(), counters.data() + 1);
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(counters.read()[1], 0U);
    EXPECT_EQ(device_calls, ++calls);
  }
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), kCount, comm_.get())));
  EXPECT_EQ(values.read()[3], 3 * total);
  EXPECT_EQ(device_calls, ++calls);
}

/// What only the host can reduce goes there.
TEST_F(GpuAware, NotForSixteenBitsNorUserOps) {
  constexpr int kCount = 5000;
  const DeviceArray<std::uint16_t> halves(std::vector<std::uint16_t>(kCount, 0x3C00));
  ASSERT_TRUE(succeeded(
      qr_mpi_allreduce(MPI_IN_PLACE, halves.data(), kCount, qr_mpi_type_bfloat16(), MPI_MAX, comm_.get())));
  EXPECT_EQ(halves.read(), std::vector<std::uint16_t>(kCount, 0x3C00));
  MPI_Op add = MPI_OP_NULL;
  must(MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int at = 0; at < *length; ++at) static_cast<float*>(inout)[at] += static_cast<float*>(in)[at];
      },
      1, &add));
  const DeviceArray<float> values(rank_values(kCount, world_rank()));
  ASSERT_TRUE(succeeded(qr_mpi_allreduce(MPI_IN_PLACE, values.data(), kCount, MPI_FLOAT, add, comm_.get())));
  EXPECT_EQ(values.read(), rank_sums(kCount, world_size()));
  must(MPI_Op_free(&add));
  EXPECT_EQ(device_calls, 0);
}

TEST_F(GpuAware, OnlyWhereItIsSaid) {
  const DeviceArray<float> values(rank_values(100, world_rank()));
  use(comm_.get(), {{"gpu_aware", "0"}});
  ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), 100, comm_.get())));
  EXPECT_EQ(values.read(), rank_sums(100, world_size()));
  EXPECT_EQ(device_calls, 0);
  EXPECT_TRUE(failed_with(set_settings(comm_.get(), {{"gpu_aware", "2"}}), QR_MPI_ERR_CONFIG));
}

}  // namespace
}  // namespace qr_test
