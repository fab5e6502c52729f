// How much memory this process holds, as the kernel counts it.
#pragma once

#include <cstdint>

namespace qr::bench {

/// All in bytes; 0 where the system does not tell.
struct Memory {
  std::int64_t mapped = 0;         // address space (VmSize)
  std::int64_t mapped_peak = 0;    // its maximum so far (VmPeak): sees buffers that were freed again
  std::int64_t shared_mapped = 0;  // part of it that is shared with other processes and writable
  std::int64_t resident = 0;  // pages present, shared ones divided by the processes that share them (Pss)
};

Memory read_memory();

}  // namespace qr::bench
