// What a call sends: the bytes that the links must carry, whatever they take for it.
#pragma once

#include <cstdint>
#include <optional>

#include "elements.hpp"
#include "mpi_support.hpp"

namespace qr::bench {

/// Bytes that one rank sends to its peers in a call of `count` values, from the codec's bits, the algorithm
/// and the number of ranks; signals and the unused rest of the last packet are not counted. Nothing where MPI
/// does the sending.
std::optional<double> wire_bytes(const PlanText& plan, std::int64_t count, Element element, int ranks);

}  // namespace qr::bench
