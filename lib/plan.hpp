// The plan of a call: a pure function of what all ranks share, so all ranks take the same road without asking
// each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/types.hpp"
#include "lib/settings.hpp"
#include "lib/tuning.hpp"

namespace qr {

/// What one call asks for. Nothing local: no pointers, no alignment, no free memory.
struct Request {
  std::int64_t count = 0;
  DataType type = DataType::kFloat32;
  ReduceOp op = ReduceOp::kSum;
  bool operator==(const Request&) const = default;
};

/// Where a call's vectors are.
enum class Memory { kHost, kDevice };

/// What the communicator is, equal on all ranks.
struct Facts {
  int world = 1;
  Memory memory = Memory::kHost;
  bool fast_path = false;        // arenas exist and were proved
  std::size_t region_bytes = 0;  // of an arena region
  std::string why_not;           // where fast_path is false: the agreed reason
  // Of device memory:
  int flagged_blocks = 0;  // of the largest flagged exchange that the arenas have room for
  Tuning tuning{};         // rank 0's
};

/// Where a choice came from, for people (qr_mpi_info) and for the log.
struct Plan {
  Algorithm algorithm = Algorithm::kMpi;
  int codec = 0;  // index in the registry; 0 is raw
  const char* reason = "";
  bool flagged = false;     // in device memory: an exchange whose data carry their flags; the same bits
  double predicted_us = 0;  // in device memory; 0 where there is no prediction
};

/// Never fails: what the fast path does not cover gets Algorithm::kMpi.
Plan make_plan(const Request& request, const Facts& facts, const Settings& settings);

}  // namespace qr
