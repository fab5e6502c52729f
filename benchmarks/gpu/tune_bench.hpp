// Calls on device memory in a form of choice, and their times in graphs.
#pragma once

#include <string>

#include "device.hpp"
#include "elements.hpp"
#include "graph_contestant.hpp"
#include "lib/cost_model.hpp"
#include "stream_timer.hpp"

namespace qr::bench {

/// A kind of call: what an all-reduce of some vector may be.
struct Way {
  Form form = Form::kExchange;
  std::string codec;
  bool operator==(const Way&) const = default;
};
std::string_view name_of(Form form);
DataType data_type_of(Element element);

/// Owns the buffers, the stream, and communicators whose tuning tables leave no choice of the form.
class TuneBench {
 public:
  /// Collective. `scratch`: beginning of file names that rank 0 can write; nothing is left there. Throws
  /// CommonError where there is no device, or device memory goes through host memory.
  TuneBench(std::int64_t most_bytes, const std::string& scratch);

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const StreamTimer& timer() const { return timer_; }
  /// For barriers and sums; the library does not know it.
  [[nodiscard]] MPI_Comm comm() const { return plain_.get(); }
  [[nodiscard]] bool first() const { return rank_of(comm()) == 0; }
  [[nodiscard]] int ranks() const { return size_of(comm()); }

  /// Collective. Values of that type in the buffer from now on.
  void load(Element element);

  /// Collective. Such calls, ready to be timed; an empty one where there are none: too long for a flagged
  /// exchange.
  Contestant contestant(const Way& way, Element element, std::int64_t count);
  /// Collective. Calls on `ours`, as its settings are now.
  Contestant contestant(MPI_Comm ours, Element element, std::int64_t count) const;

  /// Collective. Microseconds of one; 0 for an empty one.
  double time(const Contestant& who, double seconds) const;

 private:
  OwnedComm plain_, flagged_, signalled_;
  Device device_;
  StreamTimer timer_;
  std::size_t bytes_;
  DeviceMemory send_, recv_;
};

/// Collective. Rank 0 writes `text` to a new file that then takes the place of `path`. Throws CommonError.
void write_by_first(const std::string& path, const std::string& text, MPI_Comm comm);

}  // namespace qr::bench
