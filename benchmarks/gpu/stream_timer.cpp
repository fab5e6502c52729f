// Events and capture behind stream_timer.hpp.
#include "stream_timer.hpp"

#include <exception>

namespace qr::bench {
namespace {

Stream create_stream() {
  hipStream_t stream{};
  hip_check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "create a stream");
  return Stream(stream);
}

Event create_timing_event() {
  hipEvent_t event{};
  hip_check(hipEventCreateWithFlags(&event, hipEventDefault), "create an event");
  return Event(event);
}

}  // namespace

StreamTimer::StreamTimer()
    : stream_(create_stream()), begin_(create_timing_event()), end_(create_timing_event()) {}

void StreamTimer::wait() const { hip_check(hipStreamSynchronize(stream()), "wait for a stream"); }

double StreamTimer::time(const std::function<void()>& before, const std::function<void()>& work) const {
  before();
  hip_check(hipEventRecord(begin_.get(), stream()), "record an event");
  work();
  hip_check(hipEventRecord(end_.get(), stream()), "record an event");
  hip_check(hipEventSynchronize(end_.get()), "wait for an event");
  float ms = 0;
  hip_check(hipEventElapsedTime(&ms, begin_.get(), end_.get()), "read a time");
  return static_cast<double>(ms) / 1e3;
}

CallGraph::CallGraph(hipStream_t stream, const std::function<void()>& call, int calls) : stream_(stream) {
  hip_check(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), "begin a capture");
  std::exception_ptr failure;
  try {
    for (int done = 0; done < calls; ++done) call();
  } catch (...) {
    failure = std::current_exception();
  }
  hipGraph_t graph{};
  const hipError_t ended = hipStreamEndCapture(stream, &graph);
  graph_ = Owned<hipGraph_t, hipGraphDestroy>(graph);
  if (failure) {
    hip_ignore(ended);
    std::rethrow_exception(failure);
  }
  hip_check(ended, "end a capture");
  hipGraphExec_t exec{};
  hip_check(hipGraphInstantiateWithFlags(&exec, graph, 0), "instantiate a graph");
  exec_ = Owned<hipGraphExec_t, hipGraphExecDestroy>(exec);
}

void CallGraph::launch() const { hip_check(hipGraphLaunch(exec_.get(), stream_), "replay a graph"); }

}  // namespace qr::bench
