// Where the buffers lie and how calls are issued.
#pragma once

#include <string_view>

namespace qr::bench {

enum class Place { kHost, kDevice };

enum class Mode {
  kBlocking,  // qr_mpi_allreduce_c, timed by the host's clock; all there is on host memory
  kEager,     // qr_mpi_allreduce_on_stream in a loop, timed by events on the stream
  kGraph      // a captured graph of such calls, replayed, timed by events
};

constexpr std::string_view name_of(Mode mode) {
  switch (mode) {
    case Mode::kBlocking:
      return "blocking";
    case Mode::kEager:
      return "eager";
    case Mode::kGraph:
      return "graph";
  }
  return "?";
}

}  // namespace qr::bench
