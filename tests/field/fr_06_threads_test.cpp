// FR-06: four threads on four communicators at once, a thousand calls each, every thread with data of its
// own.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 1000;
constexpr std::array<std::int64_t, 6> kCounts = {1, 33, 2048, 2049, 5000, 20'000};

/// What one thread saw. GoogleTest's assertions stay on the main thread.
struct Report {
  int failed_calls = 0;
  int wrong_results = 0;
  std::string text;
};

/// Constant vectors are exact under raw; under a lossy codec a block of one power of two is too.
void call_many_times(const Comm& comm, int thread, int calls, Report& report) {
  std::vector<float> send(kCounts.back()), recv(kCounts.back());
  Random random(static_cast<std::uint64_t>(thread));  // alike on all ranks
  for (int number = 0; number < calls; ++number) {
    const std::int64_t count = kCounts[static_cast<std::size_t>(random.below(kCounts.size()))];
    const auto value =
        static_cast<float>(std::ldexp(1.0, static_cast<int>(random.below(9)) + 10 * thread - 20));
    std::fill_n(send.begin(), count, comm.rank() == 0 ? value : 0.0F);
    std::fill_n(recv.begin(), count, -1.0F);
    if (sum(send.data(), recv.data(), count, comm.get()) != MPI_SUCCESS) {
      report.text = qr_mpi_last_error();
      ++report.failed_calls;
      return;
    }
    for (std::int64_t index = 0; index < count; ++index) {
      report.wrong_results += recv[static_cast<std::size_t>(index)] != value;
    }
  }
}

/// Runs kThreads threads, thread t on comms[t].
std::array<Report, kThreads> in_threads(const std::vector<Comm>& comms, int calls) {
  std::array<Report, kThreads> reports;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    const auto at = static_cast<std::size_t>(thread);
    threads.emplace_back([&, thread, at] { call_many_times(comms[at], thread, calls, reports[at]); });
  }
  for (std::thread& thread : threads) thread.join();
  return reports;
}

void expect_right(const std::array<Report, kThreads>& reports) {
  for (const Report& report : reports) {
    EXPECT_EQ(report.failed_calls, 0) << report.text;
    EXPECT_EQ(report.wrong_results, 0);
  }
}

bool threads_allowed() {
  int provided = MPI_THREAD_SINGLE;
  must(MPI_Query_thread(&provided));
  return provided == MPI_THREAD_MULTIPLE;
}

TEST(Fr06Threads, FourThreadsOnFourCommunicators) {
  if (!threads_allowed()) GTEST_SKIP() << "this MPI grants no MPI_THREAD_MULTIPLE";
  allow_time(2);
  std::vector<Comm> comms(kThreads);
  const char* const roads[kThreads][2] = {
      {"raw", "exchange"}, {"int4", "exchange"}, {"raw", "two_shot"}, {"int8", "two_shot"}};
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    use(comms[thread].get(), {{"codec", roads[thread][0]}, {"algorithm", roads[thread][1]}});
  }
  expect_right(in_threads(comms, kCalls));
}

/// The first call of each communicator, which sets it up, happens in the threads as well.
TEST(Fr06Threads, FirstCallsInThreads) {
  if (!threads_allowed()) GTEST_SKIP() << "this MPI grants no MPI_THREAD_MULTIPLE";
  for (int round = 0; round < 5; ++round) {
    const std::vector<Comm> comms(kThreads);
    expect_right(in_threads(comms, 5));
  }
}

/// The sentence of an error belongs to the thread that got it.
TEST(Fr06Threads, LastErrorsAreOfTheirThread) {
  if (!threads_allowed()) GTEST_SKIP() << "this MPI grants no MPI_THREAD_MULTIPLE";
  const Comm comm;
  float value = 1, result = 0;
  EXPECT_FALSE(qr_mpi_allreduce(&value, &result, -7, MPI_FLOAT, MPI_SUM, comm.get()) == MPI_SUCCESS);
  std::string elsewhere;
  std::thread([&] { elsewhere = qr_mpi_last_error(); }).join();
  EXPECT_EQ(elsewhere.find("-7"), std::string::npos) << elsewhere;
  EXPECT_TRUE(last_error_says("-7"));
}

}  // namespace
}  // namespace qr_test
