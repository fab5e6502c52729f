// The device of each rank, and whether ranks share one.
#pragma once

#include <cstdint>
#include <string>

#include "mpi_support.hpp"

namespace qr::bench {

struct Device {
  int ordinal = 0;          // in this process
  int multiprocessors = 0;  // all there are
  std::int64_t cache_bytes = 0;
  std::string name;
  std::string bus_id;
  std::string runtime;   // versions of runtime and driver
  int sharers = 1;       // ranks on this device, this one included
  int most_sharers = 1;  // the same of the fullest device, equal on all ranks
  int devices = 1;       // that all ranks use together
  int nodes = 1;
};

/// Collective. Makes the device of this rank current: the ranks of a node take turns. Throws CommonError if a
/// rank finds none.
Device choose_device(MPI_Comm comm);

}  // namespace qr::bench
