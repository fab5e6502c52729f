// Ranks as threads of one process: a Bootstrap for unit tests, and what starts the threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lib/bootstrap.hpp"

namespace qr::test {

/// Where the threads meet.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size) : size_(size) {}

  [[nodiscard]] int size() const { return size_; }

  void allgather(int rank, const void* mine, void* all, std::size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    data_.resize(static_cast<std::size_t>(size_) * bytes);
    std::memcpy(data_.data() + static_cast<std::size_t>(rank) * bytes, mine, bytes);
    meet(lock);
    std::memcpy(all, data_.data(), std::min(data_.size(), static_cast<std::size_t>(size_) * bytes));
    meet(lock);  // all have read before anybody writes for the next one
  }

  /// A rank that will not come any more: who waits for it leaves with an Error.
  void abandon() {
    const std::lock_guard<std::mutex> lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }

 private:
  void meet(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t meeting = meetings_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++meetings_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return meeting != meetings_ || abandoned_; });
    if (meeting == meetings_) throw Error(Status::kSystem, "another rank of the test left early");
  }

  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::byte> data_;
  int arrived_ = 0;
  std::uint64_t meetings_ = 0;
  bool abandoned_ = false;
};

class ThreadBootstrap final : public Bootstrap {
 public:
  /// `progress` is what a wait does now and then: nothing, or a delay that a test wants.
  ThreadBootstrap(
      ThreadGroup& group, int rank, std::function<void()> progress = [] {})
      : group_(group), rank_(rank), progress_(std::move(progress)) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return group_.size(); }
  void allgather(const void* mine, void* all, std::size_t bytes) override {
    group_.allgather(rank_, mine, all, bytes);
  }
  [[nodiscard]] bool same_node() const override { return true; }
  void progress() override { progress_(); }

 private:
  ThreadGroup& group_;
  const int rank_;
  std::function<void()> progress_;
};

/// All ranks have come this far.
inline void barrier(Bootstrap& bootstrap) { gather_all(bootstrap, char{0}); }

/// Runs body(group, rank) as `world` threads. An exception in one is a failure of the test.
template <class Body>
void run_ranks(int world, const Body& body) {
  ThreadGroup group(world);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world; ++rank) {
    threads.emplace_back([&group, &body, rank] {
      try {
        body(group, rank);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
      group.abandon();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace qr::test
