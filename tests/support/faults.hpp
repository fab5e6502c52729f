// Faults and resources: ranks that stop, are late or die, and what a process holds while they do.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace qr_test {

/// Wall-clock time since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void sleep_ms(int milliseconds);
void sleep_us(int microseconds);

/// Process ids of the ranks of `comm`.
std::vector<pid_t> process_ids(MPI_Comm comm);

/// Stops this process until a peer calls resume(). For the others: waits until the process is stopped.
void stop_self();
[[nodiscard]] bool wait_until_stopped(pid_t process);
void resume(pid_t process);

/// Runs `body` in a forked child. Returns the child's exit code, or 128 + the signal that ended it.
int in_child(const std::function<int()>& body);

/// What a process holds.
struct Resources {
  long resident_kib = 0;
  long descriptors = 0;
  long mappings = 0;
};
Resources resources();

/// Names in a directory, without those that MPI itself makes.
std::set<std::string> names_in(const std::string& directory);

/// The directory has no other names than `before`; those of other programs may come and go while it looks.
testing::AssertionResult nothing_new_in(const std::string& directory, const std::set<std::string>& before);

/// `after` holds what `before` held, give or take noise that does not grow with the number of repetitions.
testing::AssertionResult no_growth(const Resources& before, const Resources& after);

}  // namespace qr_test
