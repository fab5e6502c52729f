// The watchdog: an alarm whose handler says what hung and ends the process, upon which mpirun ends the
// others.
#include "watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi_check.hpp"

namespace qr_test {

namespace {

constexpr int kUsualSeconds = 60;
constexpr int kExitCode = 124;

// Composed beforehand: a signal handler may do little more than write.
char message[512];

unsigned limit_seconds() {
  const char* text = std::getenv("QR_TEST_TIMEOUT_S");
  const int seconds = text != nullptr ? std::atoi(text) : 0;
  return static_cast<unsigned>(seconds > 0 ? seconds : kUsualSeconds);
}

void on_alarm(int) {
  const ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
  _exit(written < 0 ? kExitCode + 1 : kExitCode);
}

}  // namespace

void watch(const char* test_name) {
  std::snprintf(message, sizeof(message), "[rank %d] HANG: %s did not end in time\n", world_rank(),
                test_name);
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGALRM, &action, nullptr) != 0) std::perror("sigaction");
  alarm(limit_seconds());
}

void allow_time(int factor) { alarm(limit_seconds() * static_cast<unsigned>(factor)); }

void stop_watching() { alarm(0); }

double slowdown() {
  const char* text = std::getenv("QR_TEST_SLOWDOWN");
  const double factor = text != nullptr ? std::atof(text) : 1.0;
  return factor >= 1.0 ? factor : 1.0;
}

}  // namespace qr_test
