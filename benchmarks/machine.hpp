// Facts about the machine that a table must carry to mean something a year later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mpi_support.hpp"

namespace qr::bench {

struct Machine {
  std::string cpu;                                 // model name; "unknown" where the system does not say
  int cores = 0;                                   // processors on line
  int usable_cores = 0;                            // of those, the ones that this process may run on
  std::int64_t cache_bytes = 0;                    // last-level cache; 0 if unknown
  std::int64_t memory_bytes = 0;                   // physical
  std::int64_t free_bytes = 0;                     // what new programs may take without swapping
  std::int64_t shm_bytes = 0, shm_free_bytes = 0;  // /dev/shm; 0 if there is none
  double load = 0;                                 // load average of the last minute
  std::string system;                              // kernel name, release and architecture
  std::string mpi;                                 // first line of MPI_Get_library_version
  std::string date;                                // UTC, ISO 8601
};

Machine read_machine();

/// Bytes that a file of /proc gives as "key: N kB"; 0 if it does not.
std::int64_t proc_bytes(const char* path, std::string_view key);

/// How the ranks of a communicator lie on machines. Collective.
struct Layout {
  int ranks = 1;
  int nodes = 1;           // groups of ranks that MPI says can share memory
  int ranks_per_node = 1;  // of the fullest one
};
Layout read_layout(MPI_Comm comm);

/// True if a core must serve several ranks: times then tell more of the scheduler than of anything else.
bool oversubscribed(const Machine& machine, const Layout& layout);

}  // namespace qr::bench
