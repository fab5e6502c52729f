// Writes log lines.
#include "lib/log.hpp"

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>

namespace qr {

void log_line(int verbosity, LogLevel level, int rank, const std::string& text) {
  if (verbosity < static_cast<int>(level)) return;
  std::string line = rank < 0 ? "qr_mpi: " : "qr_mpi [rank " + std::to_string(rank) + "]: ";
  for (const char letter : text) line += letter == '\n' ? ' ' : letter;
  line += '\n';
  const int saved = errno;
  // A line that stderr does not take is lost: there is nowhere else to say so.
  while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
  errno = saved;
}

void log_once(int verbosity, LogLevel level, int rank, const std::string& text) {
  if (verbosity < static_cast<int>(level)) return;
  static std::mutex mutex;
  static std::set<std::string> said;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!said.insert(text).second) return;
  }
  log_line(verbosity, level, rank, text);
}

}  // namespace qr
