// FR-10 and FR-16 by the public API: order on streams, with device arenas and through host memory, and
// buffers that are written again right behind a call.
#include <memory>

#include "device_test.hpp"

namespace qr_test {
namespace {

class Order : public DeviceTest {
 protected:
  [[nodiscard]] static float factor() { return static_cast<float>(world_rank() + 1); }
  [[nodiscard]] static float total() { return static_cast<float>(world_size() * (world_size() + 1) / 2); }

  /// A slow producer, the call, a consumer; then both buffers are overwritten. The host waits for nobody.
  void produce_reduce_consume(MPI_Comm comm, hipStream_t stream, std::int64_t count) {
    const DeviceArray<float> values(count);
    const DeviceArray<float> sums(count);
    qr::test::queue_delay(stream, 50000);
    qr::test::queue_fill(stream, values.data(), count, factor(), step());
    ASSERT_TRUE(succeeded(reduce_floats(values.data(), sums.data(), count, comm, stream)));
    qr::test::queue_fill(stream, values.data(), count, 1e6F, step());
    qr::test::queue_check(stream, sums.data(), count, total(), 0.0F, step(), wrong());
    qr::test::queue_fill(stream, sums.data(), count, -1.0F, step());
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  }
  void expect_right() { EXPECT_EQ(counters_->read()[1], 0U); }
  std::uint32_t* step() { return counters_->data(); }
  std::uint32_t* wrong() { return counters_->data() + 1; }

  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) counters_ = std::make_unique<DeviceArray<std::uint32_t>>(2);
  }
  std::unique_ptr<DeviceArray<std::uint32_t>> counters_;
  Comm comm_;
};

TEST_F(Order, ProducerAndConsumer) {
  const qr::Stream own = qr::create_stream();
  for (const char* road : kRoads) {
    use(comm_.get(), {{"algorithm", road}});
    for (const hipStream_t stream : {own.get(), hipStream_t{}}) {
      for (const std::int64_t count : {3, 300'007, 2'000'003}) {
        produce_reduce_consume(comm_.get(), stream, count);
        expect_right();
      }
    }
  }
}

/// The blocking call comes behind the default stream.
TEST_F(Order, BlockingCallBehindTheDefaultStream) {
  constexpr std::int64_t kCount = 300'007;
  const DeviceArray<float> values(kCount);
  const DeviceArray<float> sums(kCount);
  for (const char* road : kRoads) {
    use(comm_.get(), {{"algorithm", road}});
    for (int round = 0; round < 5; ++round) {
      qr::test::queue_fill(nullptr, values.data(), kCount, -1.0F, step());
      qr::test::queue_delay(nullptr, 20000);
      qr::test::queue_fill(nullptr, values.data(), kCount, factor(), step());
      ASSERT_TRUE(succeeded(reduce_floats(values.data(), sums.data(), kCount, comm_.get())));
      // The result is there for everybody, so that a stream of its own need not wait.
      const qr::Stream other = qr::create_stream();
      qr::test::queue_check(other.get(), sums.data(), kCount, total(), 0.0F, step(), wrong());
      ASSERT_EQ(hipStreamSynchronize(other.get()), hipSuccess);
    }
    expect_right();
  }
}

/// FR-10: 64 calls in place on one buffer, with values that change each time, queued without a wait.
TEST_F(Order, SixtyFourCallsInPlace) {
  constexpr std::int64_t kCount = 2 << 20;  // 8 MiB
  constexpr int kCalls = 64;
  const qr::Stream stream = qr::create_stream();
  const DeviceArray<float> values(kCount);
  const std::vector<std::uint32_t> zero(2, 0);
  for (const char* road : kRoads) {
    use(comm_.get(), {{"algorithm", road}});
    const bool staged = std::string(road) == "mpi";  // where a call waits for the host
    const int rounds = staged ? 1 : 5;
    for (int round = 0; round < rounds; ++round) {
      for (int call = 0; call < (staged ? kCalls / 4 : kCalls); ++call) {
        qr::test::queue_advance(stream.get(), step());
        qr::test::queue_fill(stream.get(), values.data(), kCount, factor(), step());
        ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), kCount, comm_.get(), stream.get())));
        qr::test::queue_check(stream.get(), values.data(), kCount, total(), static_cast<float>(world_size()),
                              step(), wrong());
      }
    }
    ASSERT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
    expect_right();
    counters_->write(zero);
  }
}

/// Calls on two streams in turn: the library orders its own calls, the streams' own work stays theirs.
TEST_F(Order, TwoStreams) {
  constexpr std::int64_t kCount = 700'001;
  const qr::Stream streams[] = {qr::create_stream(), qr::create_stream()};
  const DeviceArray<float> values[] = {DeviceArray<float>(kCount), DeviceArray<float>(kCount)};
  for (const char* road : kRoads) {
    use(comm_.get(), {{"algorithm", road}});
    for (int call = 0; call < 40; ++call) {
      const hipStream_t stream = streams[call % 2].get();
      float* const data = values[call % 2].data();
      if (call % 7 == world_rank()) qr::test::queue_delay(stream, 2000);
      qr::test::queue_fill(stream, data, kCount, factor(), step());
      ASSERT_TRUE(succeeded(reduce_floats(in_place(), data, kCount, comm_.get(), stream)));
      qr::test::queue_check(stream, data, kCount, total(), 0.0F, step(), wrong());
    }
    for (const qr::Stream& stream : streams) ASSERT_EQ(hipStreamSynchronize(stream.get()), hipSuccess);
    expect_right();
  }
}

}  // namespace
}  // namespace qr_test
