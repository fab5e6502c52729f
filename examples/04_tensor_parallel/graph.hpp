// A stream, and a graph captured from it whose replays are timed. For .hip files.
#pragma once

#include <vector>

#include "gpu/runtime.hpp"

namespace examples {

class Stream {
 public:
  Stream() { check_gpu(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking)); }
  ~Stream() { static_cast<void>(hipStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  hipStream_t get() const { return stream_; }
  void wait() const { check_gpu(hipStreamSynchronize(stream_)); }

 private:
  hipStream_t stream_{};
};

class Event {
 public:
  Event() { check_gpu(hipEventCreate(&event_)); }
  ~Event() { static_cast<void>(hipEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const { check_gpu(hipEventRecord(event_, stream.get())); }
  double microseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    check_gpu(hipEventElapsedTime(&milliseconds, earlier.event_, event_));
    return 1000.0 * milliseconds;
  }

 private:
  hipEvent_t event_{};
};

class Graph {
 public:
  /// Of all that `queue` puts on `stream`.
  template <class Queue>
  Graph(const Stream& stream, const Queue& queue) : stream_(stream) {
    check_gpu(hipStreamBeginCapture(stream.get(), hipStreamCaptureModeThreadLocal));
    queue();
    hipGraph_t graph{};
    check_gpu(hipStreamEndCapture(stream.get(), &graph));
    const hipError_t error = hipGraphInstantiateWithFlags(&executable_, graph, 0);
    static_cast<void>(hipGraphDestroy(graph));
    check_gpu(error);
  }
  ~Graph() { static_cast<void>(hipGraphExecDestroy(executable_)); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Queues `times` replays behind one that warms up, waits, and returns the microseconds of each.
  std::vector<double> replay(int times) const {
    check_gpu(hipGraphLaunch(executable_, stream_.get()));
    const std::vector<Event> events(static_cast<std::size_t>(times) + 1);
    events.front().record(stream_);
    for (std::size_t i = 1; i < events.size(); ++i) {
      check_gpu(hipGraphLaunch(executable_, stream_.get()));
      events[i].record(stream_);
    }
    stream_.wait();
    std::vector<double> microseconds;
    for (std::size_t i = 1; i < events.size(); ++i) {
      microseconds.push_back(events[i].microseconds_since(events[i - 1]));
    }
    return microseconds;
  }

 private:
  const Stream& stream_;
  hipGraphExec_t executable_{};
};

}  // namespace examples
