// A call that meets the peers, a pause, the graph.
#include "graph_contestant.hpp"

#include <memory>

#include "bench_kernels.hpp"

namespace qr::bench {
namespace {

/// Long enough for the host to queue the graph's launch, so that only the device's time counts.
constexpr int kPauseMicroseconds = 40;

}  // namespace

Contestant graph_contestant(const StreamTimer& timer, Contestant who) {
  who.call();  // not in the graph: it may have to load a kernel
  timer.wait();
  const auto graph = std::make_shared<CallGraph>(timer.stream(), who.call, who.batch);
  who.clock = [&timer, graph, queue = who.call](int /*calls*/) {
    const auto meet = [&] {
      queue();
      queue_pause(timer.stream(), kPauseMicroseconds);
      hip_check(hipGetLastError(), "launch a pause");
    };
    return timer.time(meet, [&] { graph->launch(); });
  };
  return who;
}

}  // namespace qr::bench
