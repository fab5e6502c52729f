// Codecs as the library lists them, and a communicator that uses one of them.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace examples {

struct Codec {
  std::string name;
  double bits_per_float = 0;  // on the wire, block scales included
};

/// Every codec of this build of the library, in its order.
std::vector<Codec> all_codecs();
std::vector<std::string> names_of(const std::vector<Codec>& codecs);

/// The listed codecs in the order of `names`; names that are unknown are left out (the command line has
/// refused them).
std::vector<Codec> codecs_named(const std::vector<std::string>& names);

/// A duplicate of `parent` whose calls use `codec`; freed with the object, and with it all that the library
/// keeps for it.
class CodecComm {
 public:
  CodecComm(MPI_Comm parent, const std::string& codec);
  ~CodecComm();
  CodecComm(const CodecComm&) = delete;
  CodecComm& operator=(const CodecComm&) = delete;

  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// What one sum of `count` floats puts on the wire.
struct Traffic {
  std::string algorithm;      // the one that the library plans for this size
  double bits_per_float = 0;  // of the codec that it plans, scales included
  double bytes_per_rank = 0;  // payload that a rank sends, averaged over the ranks
};
Traffic traffic_of_sum(MPI_Comm comm, MPI_Count count, bool on_device = false);

}  // namespace examples
