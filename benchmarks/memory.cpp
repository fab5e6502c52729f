// Reads /proc/self/{status,maps,smaps_rollup}.
#include "memory.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include "machine.hpp"

namespace qr::bench {
namespace {

std::int64_t shared_writable_bytes() {
  std::ifstream maps("/proc/self/maps");
  std::int64_t total = 0;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions;
    words >> std::hex >> begin >> dash >> end >> permissions;
    if (permissions == "rw-s") total += static_cast<std::int64_t>(end - begin);
  }
  return total;
}

}  // namespace

Memory read_memory() {
  return {proc_bytes("/proc/self/status", "VmSize"), proc_bytes("/proc/self/status", "VmPeak"),
          shared_writable_bytes(), proc_bytes("/proc/self/smaps_rollup", "Pss")};
}

}  // namespace qr::bench
