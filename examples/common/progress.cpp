// Progress on stderr.
#include "progress.hpp"

#include <fmt/core.h>

namespace examples {

namespace {
constexpr double kSilenceSeconds = 3;
}

Progress::Progress(bool speaks) : speaks_(speaks), start_(MPI_Wtime()), last_(start_) {}

void Progress::report(std::string_view doing) {
  const double now = MPI_Wtime();
  if (!speaks_ || now - last_ < kSilenceSeconds) return;
  last_ = now;
  fmt::print(stderr, "{:5.1f} s  {}\n", now - start_, doing);
}

}  // namespace examples
