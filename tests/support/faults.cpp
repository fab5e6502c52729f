// Faults and resources: signals to processes, and readings from /proc.
#include "faults.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "mpi_check.hpp"

namespace qr_test {

namespace {

namespace fs = std::filesystem;

long entries_of(const char* directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

/// The state letter of a process: the field after the name in parentheses.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end_of_name = text.rfind(')');
  return end_of_name + 2 < text.size() ? text[end_of_name + 2] : '?';
}

}  // namespace

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
void sleep_us(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

std::vector<pid_t> process_ids(MPI_Comm comm) {
  std::vector<pid_t> processes;
  for (const std::int64_t number : gather_numbers(getpid(), comm))
    processes.push_back(static_cast<pid_t>(number));
  return processes;
}

void stop_self() { ASSERT_EQ(raise(SIGSTOP), 0); }

bool wait_until_stopped(pid_t process) {
  const Stopwatch watch;
  while (state_of(process) != 'T') {
    if (watch.seconds() > 20) return false;
    sleep_ms(2);
  }
  return true;
}

void resume(pid_t process) { ASSERT_EQ(kill(process, SIGCONT), 0); }

int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  if (child < 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Resources resources() {
  Resources now;
  std::ifstream statm("/proc/self/statm");
  long total_pages = 0, resident_pages = 0;
  statm >> total_pages >> resident_pages;
  now.resident_kib = resident_pages * (sysconf(_SC_PAGESIZE) / 1024);
  now.descriptors = entries_of("/proc/self/fd");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++now.mappings;
  return now;
}

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    const bool of_mpi = name.starts_with("vader_segment") || name.starts_with("sm_segment") ||
                        name.starts_with("osc_") || name.starts_with("mpich") || name.starts_with("ucx_");
    if (!of_mpi) names.insert(name);
  }
  return names;
}

testing::AssertionResult nothing_new_in(const std::string& directory, const std::set<std::string>& before) {
  std::set<std::string> fresh = names_in(directory);
  for (const std::string& name : before) fresh.erase(name);
  const Stopwatch watch;
  while (!fresh.empty() && watch.seconds() < 3) {
    sleep_ms(20);
    const std::set<std::string> now = names_in(directory);
    std::erase_if(fresh, [&](const std::string& name) { return !now.contains(name); });
  }
  if (fresh.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << fresh.size() << " new names in " << directory << ", such as "
                                     << *fresh.begin();
}

testing::AssertionResult no_growth(const Resources& before, const Resources& after) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool kCountsMemory = false;  // sanitizers keep freed memory aside; leaks are theirs to report
#else
  constexpr bool kCountsMemory = true;
#endif
  constexpr long kNoiseKib = 4096, kNoiseMappings = 8;
  const bool memory_grew = after.resident_kib > before.resident_kib + kNoiseKib ||
                           after.mappings > before.mappings + kNoiseMappings;
  if (!(kCountsMemory && memory_grew) && after.descriptors <= before.descriptors) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "resident KiB " << before.resident_kib << " -> " << after.resident_kib
                                     << ", descriptors " << before.descriptors << " -> " << after.descriptors
                                     << ", mappings " << before.mappings << " -> " << after.mappings;
}

}  // namespace qr_test
