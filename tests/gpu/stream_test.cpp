// Calls on streams: graph replay with changing inputs, calls of any size and codec without synchronising,
// order on one and on two streams, the send buffer overwritten behind a call. (Field reports FR-08, FR-09,
// FR-10, FR-16, and FR-01's views.)
//   stream_test RANKS...
#include <cstdio>
#include <cstdlib>

#include "device_buffer.hpp"
#include "fork_world.hpp"
#include "kernels/packet_ops.hpp"
#include "test_kernels.hpp"

namespace qr::test {
namespace {

std::uint32_t next_random(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

std::int64_t at_most(std::int64_t count) { return std::min(count, most_values()); }
std::size_t bytes_of(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

struct Fixture {
  explicit Fixture(World& the_world) : world(the_world), session(make_session(world, 0, 30000)) {
    hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
    hip_check(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), "create a stream");
    counters = allocate_device(64);
    step = static_cast<std::uint32_t*>(counters.get());
    wrong = step + 1;
  }
  ~Fixture() {
    hip_ignore(hipStreamDestroy(stream));
    hip_ignore(hipStreamDestroy(other));
  }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  /// Values are (rank + 1) (i % 8) + step; so sums are rank_sum() (i % 8) + ranks * step.
  [[nodiscard]] float rank_sum() const { return static_cast<float>(world.size() * (world.size() + 1) / 2); }
  [[nodiscard]] float factor() const { return static_cast<float>(world.rank() + 1); }

  void call(const void* send, void* recv, std::int64_t count, Algorithm algorithm, hipStream_t on) {
    const Request request{count, DataType::kFloat32, ReduceOp::kSum};
    const Work work = make_work(send, recv, request, flagged_if_short(*session, request, {algorithm, 0, ""}));
    const Outcome outcome = session->run_on_stream(work, on);
    if (outcome.verdict != Verdict::kOk) throw Error(Status::kInternal, text_of(outcome));
  }
  void expect_right(const char* what) {
    hip_check(hipDeviceSynchronize(), what);
    std::uint32_t values[2];
    hip_check(hipMemcpy(values, step, sizeof values, hipMemcpyDeviceToHost), what);
    if (values[1] != 0)
      world.complain(std::string(what) + ": " + std::to_string(values[1]) + " wrong values");
    hip_check(hipMemset(step, 0, 8), what);
    hip_check(hipDeviceSynchronize(), what);
    world.barrier();
    if (world.rank() == 0) std::printf("%d ranks: %s: done\n", world.size(), what);
    std::fflush(stdout);
  }

  World& world;
  std::unique_ptr<DeviceSession> session;
  hipStream_t stream{};
  hipStream_t other{};
  DeviceMemory counters;
  std::uint32_t* step;
  std::uint32_t* wrong;
};

void replay_graph(Fixture& f, Algorithm algorithm) {
  const std::int64_t count = at_most(262144);  // 1 MiB
  const DeviceMemory send = allocate_device(bytes_of(count));
  const DeviceMemory recv = allocate_device(bytes_of(count));
  auto* values = static_cast<float*>(send.get());
  auto* sums = static_cast<float*>(recv.get());
  hipGraph_t graph{};
  hipGraphExec_t exec{};
  hip_check(hipStreamBeginCapture(f.stream, hipStreamCaptureModeThreadLocal), "capture");
  queue_advance(f.stream, f.step);
  queue_fill(f.stream, values, count, f.factor(), f.step);
  f.call(values, sums, count, algorithm, f.stream);
  queue_check(f.stream, sums, count, f.rank_sum(), static_cast<float>(f.world.size()), f.step, f.wrong);
  hip_check(hipStreamEndCapture(f.stream, &graph), "end a capture");
  hip_check(hipGraphInstantiateWithFlags(&exec, graph, 0), "instantiate a graph");
  std::uint32_t delays = static_cast<std::uint32_t>(f.world.rank()) + 17;
  std::uint32_t shared = 5;
  for (int replay = 0; replay < repeats(1000); ++replay) {
    if (replay % 4 == 0) queue_delay(f.stream, next_random(delays) % 200);
    hip_check(hipGraphLaunch(exec, f.stream), "replay a graph");
    if (next_random(shared) % 16 == 0) {  // an eager call between, of another size
      f.call(values, sums, 1 + next_random(shared) % 5000, Algorithm::kExchange, f.stream);
    }
  }
  f.expect_right("graph replay");
  hip_ignore(hipGraphExecDestroy(exec));
  hip_ignore(hipGraphDestroy(graph));
}

/// Any size, codec and algorithm, nothing synchronised; a call of raw after each is checked.
void mix_calls(Fixture& f, int calls) {
  constexpr std::int64_t kCounts[] = {1, 32, 2048, 16384, 16385, 65536, 1 << 20};
  const std::int64_t most = at_most(1 << 20);
  const DeviceMemory send = allocate_device(bytes_of(most));
  const DeviceMemory recv = allocate_device(bytes_of(most));
  const DeviceMemory junk = allocate_device(bytes_of(most));
  auto* values = static_cast<float*>(send.get());
  auto* sums = static_cast<float*>(recv.get());
  std::uint32_t random = 99;
  std::uint32_t delays = static_cast<std::uint32_t>(f.world.rank());
  for (int call = 0; call < calls; ++call) {
    const std::int64_t count = at_most(kCounts[next_random(random) % 7]);
    const int codec = static_cast<int>(next_random(random) % static_cast<std::uint32_t>(codec_count()));
    const auto type = static_cast<DataType>(next_random(random) % 3);
    const auto algorithm = next_random(random) % 2 == 0 ? Algorithm::kExchange : Algorithm::kTwoShot;
    const Request request{count, type, ReduceOp::kSum};
    Plan plan{algorithm, codec, ""};
    if (next_random(random) % 4 != 0) plan = flagged_if_short(*f.session, request, plan);
    const Outcome outcome = f.session->run_on_stream(make_work(values, junk.get(), request, plan), f.stream);
    if (outcome.verdict != Verdict::kOk) throw Error(Status::kInternal, text_of(outcome));
    if (next_random(delays) % 64 == 0) queue_delay(f.stream, next_random(delays) % 100);
    if (call % 8 != 7) continue;
    const std::int64_t checked = at_most(kCounts[next_random(random) % 7]);
    queue_advance(f.stream, f.step);
    queue_fill(f.stream, values, checked, f.factor(), f.step);
    f.call(values, sums, checked, algorithm, f.stream);
    queue_fill(f.stream, values, checked, 1e6F, f.step);  // the call has read it
    queue_check(f.stream, sums, checked, f.rank_sum(), static_cast<float>(f.world.size()), f.step, f.wrong);
  }
  f.expect_right("calls of any size and codec");
}

/// In place, many in flight: sum k + 1 is of the results of call k.
void chain_calls(Fixture& f) {
  const std::int64_t count = at_most(1 << 21);  // 8 MiB
  const DeviceMemory memory = allocate_device(bytes_of(count));
  auto* values = static_cast<float*>(memory.get());
  for (int round = 0; round < repeats(20); ++round) {
    queue_fill(f.stream, values, count, f.factor(), f.step);
    float scale = f.rank_sum();
    f.call(values, values, count, Algorithm::kTwoShot, f.stream);
    for (int call = 1; call < 6; ++call) {
      f.call(values, values, count, call % 2 == 0 ? Algorithm::kTwoShot : Algorithm::kExchange, f.stream);
      scale *= static_cast<float>(f.world.size());
    }
    queue_check(f.stream, values, count, scale, 0.0F, f.step, f.wrong);
  }
  f.expect_right("calls in place, one after another");
}

/// A slow producer, the call, a consumer, on streams that the library must order by itself; then the default
/// stream.
void order_streams(Fixture& f) {
  const std::int64_t count = at_most(100003);
  const DeviceMemory memory = allocate_device(4 * bytes_of(count));
  auto* values = static_cast<float*>(memory.get());
  float* const views[] = {values, values + count, values + 2 * count,
                          values + 3 * count};  // of one allocation
  for (int round = 0; round < repeats(50); ++round) {
    const hipStream_t first = round % 2 == 0 ? f.stream : f.other;
    const hipStream_t second = round % 2 == 0 ? f.other : f.stream;
    queue_delay(first, 1000);
    queue_fill(first, views[0], count, f.factor(), f.step);
    f.call(views[0], views[1], count, Algorithm::kTwoShot, first);
    queue_check(first, views[1], count, f.rank_sum(), 0.0F, f.step, f.wrong);
    queue_fill(second, views[2], count, f.factor(), f.step);
    f.call(views[2], views[3], count, Algorithm::kExchange, second);
    queue_check(second, views[3], count, f.rank_sum(), 0.0F, f.step, f.wrong);
  }
  f.expect_right("two streams");
  queue_delay(nullptr, 20000);
  queue_fill(nullptr, views[0], count, f.factor(), f.step);
  const Request request{count, DataType::kFloat32, ReduceOp::kSum};
  const Work work = make_work(views[0], views[1], request,
                              flagged_if_short(*f.session, request, {Algorithm::kExchange, 0, ""}));
  const Outcome outcome = f.session->run(work);
  if (outcome.verdict != Verdict::kOk) f.world.complain("blocking call: " + text_of(outcome));
  queue_check(f.stream, views[1], count, f.rank_sum(), 0.0F, f.step, f.wrong);
  f.expect_right("blocking call behind the default stream");
}

void test_streams(World& world) {
  Fixture fixture(world);
  replay_graph(fixture, Algorithm::kExchange);
  replay_graph(fixture, Algorithm::kTwoShot);
  const int calls = repeats(10000);
  mix_calls(fixture, calls);
  chain_calls(fixture);
  order_streams(fixture);
  if (world.rank() == 0)
    std::printf("%d ranks: streams, graphs and %d mixed calls done\n", world.size(), calls);
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  bool good = true;
  for (int i = 1; i < argc; ++i)
    good = qr::test::run_ranks(std::atoi(argv[i]), 120, qr::test::test_streams) && good;
  std::printf("stream_test: %s\n", good ? "passed" : "FAILED");
  return good ? 0 : 1;
}
