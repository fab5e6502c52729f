// Calls on a stream and in a graph, timed by the device's own clock.
#pragma once

#include <functional>
#include <memory>

#include "lib/backends/hip/device_memory.hpp"

namespace qr::bench {

/// A stream and two events on it.
class StreamTimer {
 public:
  StreamTimer();

  [[nodiscard]] hipStream_t stream() const { return stream_.get(); }
  void wait() const;

  /// Seconds that what `work` queues took, from the end of what `before` queued. Waits for both.
  double time(const std::function<void()>& before, const std::function<void()>& work) const;

 private:
  Stream stream_;
  Event begin_, end_;
};

/// So many calls, captured from a stream.
class CallGraph {
 public:
  /// `call` queues one on `stream`. Throws what it throws; the stream is then as before.
  CallGraph(hipStream_t stream, const std::function<void()>& call, int calls);

  /// Queues all of them.
  void launch() const;

 private:
  hipStream_t stream_;
  Owned<hipGraph_t, hipGraphDestroy> graph_;
  Owned<hipGraphExec_t, hipGraphExecDestroy> exec_;
};

}  // namespace qr::bench
