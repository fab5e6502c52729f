// Calls on a stream as a graph that can be timed in turn with others.
#pragma once

#include "stream_timer.hpp"
#include "timing.hpp"

namespace qr::bench {

/// `who` with its `batch` calls captured now, as settings are now, and timed by replays of that. Each sample
/// begins with a call of its own, as settings are then, that brings the ranks together, and a pause. `timer`
/// outlives it. Makes one call, which may have to load a kernel.
Contestant graph_contestant(const StreamTimer& timer, Contestant who);

}  // namespace qr::bench
