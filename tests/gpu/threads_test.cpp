// FR-06 and FR-07 on device memory: threads that call at once on communicators and streams of their own, and
// communicators that come and go.
#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "device_test.hpp"
#include "support/inputs.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

/// What one thread saw. GoogleTest's assertions stay on the main thread.
struct Report {
  int failed_calls = 0;
  std::string text;
};

struct Load {
  int calls;
  std::int64_t most;  // floats of a call
};

/// What a thread needs on the device. Made and freed while no calls are under way: the runtime may wait for
/// the whole device then, and with it for calls that wait for peers that wait for their device.
struct Equipment {
  explicit Equipment(std::int64_t most) : send(most), recv(most) {}
  DeviceArray<float> send;
  DeviceArray<float> recv;
  DeviceArray<std::uint32_t> counters{2};
  qr::Stream stream = qr::create_stream();
};

/// No more than this queued at a time: where the device's queue is full, a launch holds up other threads'
/// launches.
constexpr int kQueued = 50;

void call_many_times(MPI_Comm comm, int thread, int device, const Load& load, const Equipment& equipment,
                     Report& report) {
  try {
    qr::hip_check(hipSetDevice(device), "choose a device");
    const auto& [send, recv, counters, stream] = equipment;
    std::uint32_t* const step = counters.data();
    Random random(static_cast<std::uint64_t>(thread));  // alike on all ranks
    const auto total = static_cast<float>(world_size() * (world_size() + 1) / 2 * (thread + 1));
    for (int call = 0; call < load.calls; ++call) {
      const std::int64_t count = 1 + random.below(load.most);
      qr::test::queue_advance(stream.get(), step);
      qr::test::queue_fill(stream.get(), send.data(), count,
                           static_cast<float>((world_rank() + 1) * (thread + 1)), step);
      if (reduce_floats(send.data(), recv.data(), count, comm, stream.get()) != MPI_SUCCESS) {
        ++report.failed_calls;
        report.text = qr_mpi_last_error();
        return;
      }
      qr::test::queue_check(stream.get(), recv.data(), count, total, static_cast<float>(world_size()), step,
                            step + 1);
      if (call % kQueued == kQueued - 1)
        qr::hip_check(hipStreamSynchronize(stream.get()), "wait for a stream");
    }
    qr::hip_check(hipStreamSynchronize(stream.get()), "wait for a stream");
  } catch (const std::exception& error) {
    ++report.failed_calls;
    report.text = error.what();
  }
}

class Threads : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    int provided = MPI_THREAD_SINGLE;
    must(MPI_Query_thread(&provided));
    if (provided != MPI_THREAD_MULTIPLE && !IsSkipped())
      GTEST_SKIP() << "this MPI grants no MPI_THREAD_MULTIPLE";
  }

  /// Thread t on comms[t], all at once.
  void call_in_threads(const std::vector<Comm>& comms, const Load& load) {
    std::vector<Report> reports(comms.size());
    std::vector<std::unique_ptr<Equipment>> equipment;
    for (const Comm& comm : comms) {
      equipment.push_back(std::make_unique<Equipment>(load.most));
      // Sets the communicator up, one at a time, and has the runtime load this test's kernels, for which it
      // may wait for the device.
      qr::test::queue_advance(nullptr, equipment.back()->counters.data());
      qr::test::queue_fill(nullptr, equipment.back()->send.data(), 1, 1, equipment.back()->counters.data());
      qr::test::queue_check(nullptr, equipment.back()->send.data(), 0, 1, 1,
                            equipment.back()->counters.data(), equipment.back()->counters.data() + 1);
      ASSERT_TRUE(succeeded(
          reduce_floats(equipment.back()->send.data(), equipment.back()->recv.data(), 1, comm.get())));
    }
    must(MPI_Barrier(MPI_COMM_WORLD));
    std::vector<std::thread> threads;
    for (std::size_t at = 0; at < comms.size(); ++at) {
      threads.emplace_back([&, at] {
        call_many_times(comms[at].get(), static_cast<int>(at), device(), load, *equipment[at], reports[at]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    must(MPI_Barrier(MPI_COMM_WORLD));
    for (std::size_t at = 0; at < comms.size(); ++at) {
      EXPECT_EQ(reports[at].failed_calls, 0) << reports[at].text;
      EXPECT_EQ(equipment[at]->counters.read()[1], 0U);
    }
  }
};

TEST_F(Threads, FourCommunicatorsAndStreams) {
  allow_time(2);
  const std::vector<Comm> comms(4);
  for (const Comm& comm : comms) use(comm.get(), {{"device_share", "4"}});
  call_in_threads(comms, {.calls = 1000, .most = 20'000});
}

/// Messages for full grids: the shares make all of them fit onto the device at the same time. Were a call's
/// blocks kept out, it would say so before the test is stopped.
TEST_F(Threads, FourCommunicatorsWithFullGrids) {
  allow_time(2);
  const std::vector<Comm> comms(4);
  for (const Comm& comm : comms) use(comm.get(), {{"device_share", "4"}, {"timeout_ms", "20000"}});
  call_in_threads(comms, {.calls = 40, .most = 2 << 20});
}

TEST_F(Threads, ThroughHostMemory) {
  const std::vector<Comm> comms(4);
  for (const Comm& comm : comms) use(comm.get(), {{"algorithm", "mpi"}});
  call_in_threads(comms, {.calls = 50, .most = 700'000});
}

/// FR-07: what a communicator holds on the device goes with it.
TEST_F(Threads, CommunicatorsComeAndGoWithoutGrowth) {
  constexpr std::int64_t kCount = 3000;
  const auto round = [&] {
    const Comm sub = Comm::split(MPI_COMM_WORLD, world_rank() % 2, -world_rank());
    const DeviceArray<float> values(std::vector<float>(kCount, static_cast<float>(1 << world_rank())));
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), kCount, sub.get())));
    float expected = 0;
    for (int rank = world_rank() % 2; rank < world_size(); rank += 2)
      expected += static_cast<float>(1 << rank);
    EXPECT_EQ(values.read(), std::vector<float>(kCount, expected));
  };
  const auto free_bytes = [] {
    must(MPI_Barrier(MPI_COMM_WORLD));
    std::size_t free = 0;
    std::size_t all = 0;
    EXPECT_EQ(hipMemGetInfo(&free, &all), hipSuccess);
    must(MPI_Barrier(MPI_COMM_WORLD));
    return static_cast<std::int64_t>(free);
  };
  for (int warm_up = 0; warm_up < 10; ++warm_up) round();
  const std::int64_t before = free_bytes();
  for (int repeat = 0; repeat < 100; ++repeat) round();
  // A communicator's arena alone has 16 MiB: a hundred left ones would take 1.6 GB a rank.
  EXPECT_GT(free_bytes(), before - (std::int64_t{200} << 20));
}

}  // namespace
}  // namespace qr_test
