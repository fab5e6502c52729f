// Reads /proc, sysconf and MPI; what a system does not tell stays 0 or "unknown".
#include "machine.hpp"

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string_view>

namespace qr::bench {
namespace {

/// Text after "<key>...:" of the first line in `path` that starts with `key`; empty if there is none.
std::string field_of(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string cpu_model() {
  for (const char* key : {"model name", "Model", "cpu model", "Processor"}) {
    if (std::string text = field_of("/proc/cpuinfo", key); !text.empty()) return text;
  }
  return "unknown";
}

int usable_core_count(int online) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : online;
}

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  if (gmtime_r(&now, &parts) == nullptr) return "unknown";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find('\n'), line.size()));
  // Open MPI goes on with who packaged it and the host where it was built; neither belongs into a table.
  if (line.starts_with("Open MPI")) line.resize(std::min(line.find(','), line.size()));
  for (char& letter : line) letter = letter == '\t' ? ' ' : letter;
  line.resize(line.find_last_not_of(" \r") + 1);
  return line;
}

}  // namespace

std::int64_t proc_bytes(const char* path, std::string_view key) {
  const std::string text = field_of(path, key);
  return text.empty() ? 0 : std::stoll(text) * 1024;
}

Machine read_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.usable_cores = usable_core_count(machine.cores);
#if defined(_SC_LEVEL3_CACHE_SIZE)
  machine.cache_bytes = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  machine.memory_bytes = proc_bytes("/proc/meminfo", "MemTotal");
  machine.free_bytes = proc_bytes("/proc/meminfo", "MemAvailable");
  struct statvfs shm {};
  if (statvfs("/dev/shm", &shm) == 0) {
    machine.shm_bytes = static_cast<std::int64_t>(shm.f_blocks * shm.f_frsize);
    machine.shm_free_bytes = static_cast<std::int64_t>(shm.f_bavail * shm.f_frsize);
  }
  std::ifstream("/proc/loadavg") >> machine.load;
  utsname name{};
  machine.system = "unknown";
  if (uname(&name) == 0) machine.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
  machine.mpi = mpi_library();
  machine.date = utc_date();
  return machine;
}

Layout read_layout(MPI_Comm comm) {
  Layout layout;
  layout.ranks = size_of(comm);
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  const int is_first = rank_of(node) == 0 ? 1 : 0;
  const int ranks_here = size_of(node);
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  check(MPI_Allreduce(&is_first, &layout.nodes, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
  check(MPI_Allreduce(&ranks_here, &layout.ranks_per_node, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return layout;
}

bool oversubscribed(const Machine& machine, const Layout& layout) {
  return layout.ranks_per_node > machine.cores;
}

}  // namespace qr::bench
