// Processes, or threads, and a barrier in anonymous shared memory.
#include "fork_world.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <thread>
#include <vector>

#include "effort.hpp"
#include "lib/backends/hip/pointer_kind.hpp"

namespace qr::test {

namespace {

constexpr int kMostRanks = 16;
constexpr int kSkipped = 77;  // as CTest and others know it
constexpr std::size_t kSlotBytes = 4096;
constexpr int kMostLines = 20;

struct Shared {
  std::atomic<int> arrived;
  std::atomic<int> phase;
  std::atomic<int> complaints;
  alignas(64) std::byte slot[kMostRanks][kSlotBytes];
};

/// Of one rank.
class SharedWorld final : public World {
 public:
  SharedWorld(Shared& shared, int rank, int size) : shared_(shared), rank_(rank), size_(size) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool same_node() const override { return true; }
  void progress() override {}

  void barrier() override {
    const int phase = shared_.phase.load();
    if (shared_.arrived.fetch_add(1) + 1 == size_) {
      shared_.arrived.store(0);
      shared_.phase.store(phase + 1);
      return;
    }
    while (shared_.phase.load() == phase) sched_yield();
  }

  void allgather(const void* mine, void* all, std::size_t bytes) override {
    if (bytes > kSlotBytes) throw Error(Status::kInternal, "too much for this all-gather");
    std::memcpy(shared_.slot[rank_], mine, bytes);
    barrier();
    for (int rank = 0; rank < size_; ++rank) {
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(rank) * bytes, shared_.slot[rank],
                  bytes);
    }
    barrier();
  }

  void complain(const std::string& text) override {
    shared_.complaints.fetch_add(1);
    if (++lines_ <= kMostLines) std::printf("rank %d of %d: %s\n", rank_, size_, text.c_str());
    std::fflush(stdout);
  }

 private:
  Shared& shared_;
  int rank_;
  int size_;
  int lines_ = 0;
};

bool live(Shared& shared, int rank, int size, const std::function<void(World&)>& body) {
  SharedWorld world(shared, rank, size);
  bool good = true;
  try {
    body(world);
  } catch (const std::exception& error) {
    world.complain(std::string("stopped: ") + error.what());
    good = false;
  }
  std::fflush(stdout);
  return good;
}

/// A thread that stops takes all others with it, which may wait for it in a barrier.
void run_threads(Shared& shared, int ranks, const std::function<void(World&)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      if (!live(shared, rank, ranks, body)) _exit(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

namespace {

/// Asked in a child: a device does not survive a fork.
bool device_present() {
  const pid_t child = fork();
  if (child == 0) _exit(device_available() ? 0 : 1);
  int status = 1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool run_ranks(int ranks, int seconds, const std::function<void(World&)>& body) {
  if (!device_present()) {
    std::printf("SKIPPED: no device in this process\n");
    std::exit(kSkipped);
  }
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* shared = new (memory) Shared{};
  std::fflush(stdout);
  if (const char* kind = std::getenv("QR_TEST_RANKS"); kind != nullptr && std::strcmp(kind, "threads") == 0) {
    run_threads(*shared, ranks, body);
    const bool right = shared->complaints.load() == 0;
    munmap(memory, sizeof(Shared));
    return right;
  }
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) _exit(live(*shared, rank, ranks, body) ? 0 : 1);
    children.push_back(child);
  }
  bool good = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds * slower());
  for (pid_t& child : children) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        std::printf("a rank did not end within %lld s\n", static_cast<long long>(seconds * slower()));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
      // One that failed leaves the others in a barrier: they have no reason to stay.
      if (!good) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  good = good && shared->complaints.load() == 0;
  munmap(memory, sizeof(Shared));
  return good;
}

}  // namespace qr::test
