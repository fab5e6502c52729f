// The stages of a long wait.
#include "lib/backends/host/patience.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace qr {

namespace {
using std::chrono::microseconds;
using std::chrono::milliseconds;

// A yield costs well under a microsecond when nobody else wants the core, so MPI is served and the clock is
// read every few.
constexpr std::uint32_t kRoundsBetweenChecks = 16;
// A peer this late is computing, not communicating: stop burning the core that it, or a thread of it, might
// use.
constexpr milliseconds kSleepAfter{20};
// Sleeps are a small part of what was waited already, so they add little to a wait and leave the core to
// others.
constexpr int kSleepShare = 128;
constexpr microseconds kShortestSleep{50};
constexpr microseconds kLongestSleep{1000};
// About 20 microseconds of polling; a handshake between two running ranks takes a fraction of one.
constexpr int kSpins = 2000;
constexpr int kSpinsOversubscribed = 20;
}  // namespace

WaitPolicy make_wait_policy(int ranks, milliseconds timeout, Bootstrap* bootstrap) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return {timeout, ranks > cores ? kSpinsOversubscribed : kSpins, bootstrap};
}

Patience::Patience(const WaitPolicy& policy) : policy_(policy), begin_(std::chrono::steady_clock::now()) {}

bool Patience::pause() {
  if (++rounds_ % kRoundsBetweenChecks != 0) {
    sched_yield();
    return true;
  }
  // A peer may be stuck in an MPI call that only our progress can complete (a rendezvous we started).
  if (policy_.bootstrap != nullptr) policy_.bootstrap->progress();
  const auto waited = std::chrono::steady_clock::now() - begin_;
  if (waited > policy_.timeout) return false;
  if (waited > kSleepAfter) {
    const auto share = std::chrono::duration_cast<microseconds>(waited / kSleepShare);
    std::this_thread::sleep_for(std::clamp(share, kShortestSleep, kLongestSleep));
  }
  return true;
}

}  // namespace qr
