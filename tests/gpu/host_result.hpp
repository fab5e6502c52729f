// What an all-reduce must give, bit by bit: the host's packet functions over the inputs of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/plan.hpp"

namespace qr::test {

using Bytes = std::vector<std::byte>;

/// Inputs of one rank, the same in every process: all magnitudes that the type has, zeros, repeated values;
/// with `specials` also NaN and Inf here and there.
Bytes make_input(DataType type, std::int64_t count, int rank, std::uint32_t seed, bool specials);

/// Result on all ranks.
Bytes host_result(const std::vector<Bytes>& inputs, const Request& request, const Plan& plan);

/// All NaNs become one NaN: which one a machine gives is its own affair.
void equalize_nans(DataType type, Bytes& values);

std::uint64_t checksum(const Bytes& values);

}  // namespace qr::test
