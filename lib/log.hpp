// Lines for people on stderr: "qr_mpi [rank 3]: ...".
#pragma once

#include <string>

namespace qr {

/// What a line is about; it is written when Settings::log is at least this.
enum class LogLevel : int { kWarning = 1, kCommunicator = 2, kCall = 3 };

/// Writes one line with one write(2), so that lines of different ranks do not mix. `verbosity` is
/// Settings::log; a negative rank leaves the rank out. Never fails and leaves errno alone.
void log_line(int verbosity, LogLevel level, int rank, const std::string& text);

/// The same, but each text only once in the life of the process. Thread-safe.
void log_once(int verbosity, LogLevel level, int rank, const std::string& text);

}  // namespace qr
