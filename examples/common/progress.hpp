// A line on stderr every few seconds, so that a long run does not look dead and a short one stays silent.
#pragma once

#include <mpi.h>

#include <string_view>

namespace examples {

class Progress {
 public:
  /// Only the rank that passes `speaks` writes.
  explicit Progress(bool speaks);
  void report(std::string_view doing);

 private:
  bool speaks_;
  double start_;
  double last_;
};

}  // namespace examples
