// Device memory that goes through host memory: pieces of every kind of datatype, order against the caller's
// stream, bits like the host's, errors in the middle.
#include <algorithm>

#include "device_test.hpp"
#include "support/inputs.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kPiece = 1 << 19;  // floats of the longest piece with few ranks

class Staged : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    use(comm_.get(), {{"algorithm", "mpi"}});
  }
  Comm comm_;
};

TEST_F(Staged, AnyNumberOfPieces) {
  for (const std::int64_t count :
       {std::int64_t{1}, kPiece - 1, kPiece, kPiece + 1, 2 * kPiece, 5 * kPiece + 77}) {
    const DeviceArray<float> send(rank_values(count, world_rank()));
    const DeviceArray<float> recv(count);
    ASSERT_TRUE(succeeded(reduce_floats(send.data(), recv.data(), count, comm_.get())));
    EXPECT_EQ(recv.read(), rank_sums(count, world_size())) << count;
    EXPECT_EQ(send.read(), rank_values(count, world_rank())) << count;
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), send.data(), count, comm_.get())));
    EXPECT_EQ(send.read(), rank_sums(count, world_size())) << count << " in place";
  }
}

TEST_F(Staged, IntegersAndUserOps) {
  constexpr int kCount = 1'300'001;
  std::vector<int> values(kCount);
  for (int at = 0; at < kCount; ++at) values[static_cast<std::size_t>(at)] = at + world_rank();
  const DeviceArray<int> send(values);
  const DeviceArray<int> recv(kCount);
  ASSERT_TRUE(succeeded(qr_mpi_allreduce(send.data(), recv.data(), kCount, MPI_INT, MPI_MAX, comm_.get())));
  for (int& value : values) value += world_size() - 1 - world_rank();
  EXPECT_EQ(recv.read(), values);

  MPI_Op keep_last = MPI_OP_NULL;
  must(MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        auto* from = static_cast<int*>(in);
        auto* to = static_cast<int*>(inout);
        for (int at = 0; at < *length; ++at) to[at] = std::max(from[at], to[at]);
      },
      1, &keep_last));
  ASSERT_TRUE(succeeded(qr_mpi_allreduce(send.data(), recv.data(), kCount, MPI_INT, keep_last, comm_.get())));
  EXPECT_EQ(recv.read(), values);
  must(MPI_Op_free(&keep_last));
}

/// Every second float: what lies between is as it was.
TEST_F(Staged, DatatypesWithHoles) {
  constexpr int kPairs = 5000;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  must(MPI_Type_create_resized(MPI_FLOAT, 0, 2 * sizeof(float), &pair));
  must(MPI_Type_commit(&pair));
  MPI_Op add = MPI_OP_NULL;
  must(MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        auto* from = static_cast<float*>(in);
        auto* to = static_cast<float*>(inout);
        for (int at = 0; at < *length; ++at) to[2 * at] += from[2 * at];
      },
      1, &add));
  const DeviceArray<float> send(rank_values(2 * kPairs, world_rank()));
  const DeviceArray<float> recv(std::vector<float>(2 * kPairs, -5));
  ASSERT_TRUE(succeeded(qr_mpi_allreduce(send.data(), recv.data(), kPairs, pair, add, comm_.get())));
  std::vector<float> expected = rank_sums(2 * kPairs, world_size());
  for (std::size_t at = 1; at < expected.size(); at += 2) expected[at] = -5;
  EXPECT_EQ(recv.read(), expected);
  must(MPI_Op_free(&add));
  must(MPI_Type_free(&pair));
}

/// Neither a value's owner nor the plan depends on the pieces: device memory gives the bits of host memory.
/// Where there are device arenas they do it instead, with the same bits.
TEST_F(Staged, BitsLikeHostMemory) {
  const std::int64_t count = 2 * kPiece + 4099;
  std::vector<float> values(static_cast<std::size_t>(count));
  Input{.seed = 3, .pattern = Pattern::kGaussian}.fill(values.data(), count, world_rank());
  const DeviceArray<float> send(values);
  const DeviceArray<float> recv(count);
  for (const char* codec : {"raw", "int4"}) {
    for (const std::string& algorithm : kAlgorithms) {
      // The last piece alone is shorter than that.
      use(comm_.get(), {{"algorithm", algorithm}, {"codec", codec}, {"min_bytes", "1000000"}});
      std::vector<float> expected(values.size());
      ASSERT_TRUE(succeeded(reduce_floats(values.data(), expected.data(), count, comm_.get())));
      ASSERT_TRUE(succeeded(reduce_floats(send.data(), recv.data(), count, comm_.get())));
      EXPECT_EQ(recv.read(), expected) << codec << ", " << algorithm;
    }
  }
}

/// The copies come behind what the stream holds, and what the stream gets next comes behind them.
TEST_F(Staged, InTheOrderOfTheStream) {
  const qr::Stream own = qr::create_stream();
  constexpr std::int64_t kCount = 2 * kPiece + 1;
  const DeviceArray<float> values(kCount);
  const DeviceArray<float> sums(kCount);
  const DeviceArray<std::uint32_t> counters(2);
  const auto factor = static_cast<float>(world_rank() + 1);
  const auto total = static_cast<float>(world_size() * (world_size() + 1) / 2);
  for (const hipStream_t stream : {own.get(), hipStream_t{}}) {
    for (int round = 0; round < 5; ++round) {
      qr::test::queue_delay(stream, 30000);
      qr::test::queue_fill(stream, values.data(), kCount, factor, counters.data());
      ASSERT_TRUE(succeeded(reduce_floats(values.data(), sums.data(), kCount, comm_.get(), stream)));
      qr::test::queue_fill(stream, values.data(), kCount, 1e6F, counters.data());
      qr::test::queue_check(stream, sums.data(), kCount, total, 0.0F, counters.data(), counters.data() + 1);
      qr::test::queue_fill(stream, sums.data(), kCount, -1.0F, counters.data());
    }
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(counters.read()[1], 0U);
  }
}

/// Another count on one rank, in the middle of the pieces: an error on all, and the next call works.
TEST_F(Staged, AnErrorInTheMiddle) {
  if (world_size() == 1) GTEST_SKIP() << "one rank disagrees with nobody";
  const std::int64_t count = 3 * kPiece;
  const DeviceArray<float> values(rank_values(count, world_rank()));
  const DeviceArray<float> sums(count);
  const std::int64_t mine = world_rank() == 0 ? count : count - kPiece / 2;
  EXPECT_TRUE(failed_with(reduce_floats(values.data(), sums.data(), mine, comm_.get()), QR_MPI_ERR_MISMATCH));
  ASSERT_TRUE(succeeded(reduce_floats(values.data(), sums.data(), count, comm_.get())));
  EXPECT_EQ(sums.read(), rank_sums(count, world_size()));
}

TEST_F(Staged, BetweenGroups) {
  if (world_size() < 2) GTEST_SKIP() << "two groups need two ranks";
  const bool low = world_rank() < world_size() / 2;
  const Comm local = Comm::split(MPI_COMM_WORLD, low ? 0 : 1, 0);
  MPI_Comm handle = MPI_COMM_NULL;
  must(MPI_Intercomm_create(local.get(), 0, MPI_COMM_WORLD, low ? world_size() / 2 : 0, 5, &handle));
  const Comm inter(handle);
  const std::int64_t count = kPiece + 3;
  const std::vector<float> ones(static_cast<std::size_t>(count), 1);
  const DeviceArray<float> send(ones);
  const DeviceArray<float> recv(count);
  ASSERT_TRUE(succeeded(reduce_floats(send.data(), recv.data(), count, inter.get())));
  const int others = low ? world_size() - world_size() / 2 : world_size() / 2;
  EXPECT_EQ(recv.read(), std::vector<float>(ones.size(), static_cast<float>(others)));
}

}  // namespace
}  // namespace qr_test
