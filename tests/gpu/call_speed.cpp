// Time of calls in a graph between two or more ranks: every codec, both algorithms, 8 KiB to 1 GiB.
//   call_speed RANKS [largest bytes] [codec]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device_buffer.hpp"
#include "fork_world.hpp"
#include "kernels/packet_ops.hpp"

namespace qr::test {
namespace {

constexpr std::size_t kSizes[] = {std::size_t{8} << 10,  std::size_t{64} << 10,  std::size_t{256} << 10,
                                  std::size_t{1} << 20,  std::size_t{4} << 20,   std::size_t{16} << 20,
                                  std::size_t{64} << 20, std::size_t{256} << 20, std::size_t{1} << 30};
constexpr std::size_t kManyBelow = std::size_t{16} << 20;  // several calls between two events

class Timer {
 public:
  Timer() {
    hip_check(hipEventCreateWithFlags(&begin_, hipEventDefault), "create an event");
    hip_check(hipEventCreateWithFlags(&end_, hipEventDefault), "create an event");
  }
  ~Timer() {
    hip_ignore(hipEventDestroy(begin_));
    hip_ignore(hipEventDestroy(end_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Median microseconds of a call, `calls` of them in one graph.
  double time(World& world, DeviceSession& session, const Work& work, hipStream_t stream, int calls,
              int runs) {
    hipGraph_t graph{};
    hipGraphExec_t exec{};
    launch(session, work, stream);
    hip_check(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), "capture");
    for (int call = 0; call < calls; ++call) launch(session, work, stream);
    hip_check(hipStreamEndCapture(stream, &graph), "end a capture");
    hip_check(hipGraphInstantiateWithFlags(&exec, graph, 0), "instantiate a graph");
    std::vector<float> times;
    for (int run = 0; run < runs; ++run) {
      world.barrier();
      launch(session, work, stream);  // brings the ranks together
      hip_check(hipEventRecord(begin_, stream), "record");
      hip_check(hipGraphLaunch(exec, stream), "replay a graph");
      hip_check(hipEventRecord(end_, stream), "record");
      hip_check(hipEventSynchronize(end_), "wait");
      float ms = 0;
      hip_check(hipEventElapsedTime(&ms, begin_, end_), "read a time");
      times.push_back(ms * 1000 / static_cast<float>(calls));
    }
    hip_ignore(hipGraphExecDestroy(exec));
    hip_ignore(hipGraphDestroy(graph));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  static void launch(DeviceSession& session, const Work& work, hipStream_t stream) {
    const Outcome outcome = session.run_on_stream(work, stream);
    if (outcome.verdict != Verdict::kOk) throw Error(Status::kInternal, text_of(outcome));
  }
  hipEvent_t begin_{};
  hipEvent_t end_{};
};

void measure(World& world, std::size_t largest, const char* only) {
  const auto session = make_session(world, 0, 20000);
  if (world.rank() == 0) std::printf("%d ranks: %s\n", world.size(), session->describe().c_str());
  const DeviceMemory send = allocate_device(largest);
  const DeviceMemory recv = allocate_device(largest);
  Bytes values = make_input(DataType::kFloat16, 1 << 20, world.rank(), 1, false);
  for (std::size_t at = 0; at + values.size() <= largest; at += values.size()) {
    hip_check(hipMemcpy(static_cast<std::byte*>(send.get()) + at, values.data(), values.size(),
                        hipMemcpyHostToDevice),
              "fill");
  }
  hipStream_t stream{};
  hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
  Timer timer;
  std::string json;
  for (int codec = 0; codec < codec_count(); ++codec) {
    if (only != nullptr && std::strcmp(only, codec_info(codec).name) != 0) continue;
    for (const Algorithm algorithm : {Algorithm::kExchange, Algorithm::kTwoShot}) {
      if (world.rank() == 0) std::printf("%-5s %-9s", codec_info(codec).name, name_of(algorithm));
      for (const std::size_t bytes : kSizes) {
        if (bytes > largest) break;
        const Request request{static_cast<std::int64_t>(bytes / 2), DataType::kFloat16, ReduceOp::kSum};
        const Work work = make_work(send.get(), recv.get(), request, {algorithm, codec, ""});
        const int calls = bytes < kManyBelow ? 20 : 1;
        const double us = timer.time(world, *session, work, stream, calls, bytes < kManyBelow ? 20 : 8);
        if (world.rank() == 0) {
          if (bytes < (1 << 20)) std::printf("  %zuK %.1f", bytes >> 10, us);
          if (bytes >= (1 << 20)) std::printf("  %zuM %.1f", bytes >> 20, us);
          std::fflush(stdout);
          json += "{\"codec\":\"" + std::string(codec_info(codec).name) + "\",\"algorithm\":\"" +
                  name_of(algorithm) + "\",\"ranks\":" + std::to_string(world.size()) +
                  ",\"bytes\":" + std::to_string(bytes) + ",\"us\":" + std::to_string(us) + "}\n";
        }
      }
      if (world.rank() == 0) std::printf(" us\n");
    }
  }
  std::printf("%s", json.c_str());
  hip_ignore(hipStreamDestroy(stream));
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::size_t largest = argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : std::size_t{1} << 30;
  const char* only = argc > 3 ? argv[3] : nullptr;
  return qr::test::run_ranks(ranks, 200,
                             [&](qr::test::World& world) { qr::test::measure(world, largest, only); })
             ? 0
             : 1;
}
