// What ranks compare of a call, and the sentence when they differ.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/arena.hpp"
#include "lib/plan.hpp"
#include "lib/status.hpp"

namespace qr {

/// The record of a call of the fast path, with its hash (never 0).
CallRecord record_of(const Request& request, const Plan& plan);

/// The record of a call that goes to MPI; `signature` stands for datatype and op, `amount` counts values or
/// bytes.
CallRecord record_of_fallback(std::int64_t amount, std::uint32_t signature, bool in_bytes = false);

/// The record of a call that comes in pieces, before the first of them: peers learn the whole count, and
/// those that have it in one piece that they would not fit together.
CallRecord record_of_pieces(const Request& request, const Plan& plan);

/// The record of a first call on device memory, before the device arenas are made.
CallRecord record_of_device(std::int64_t count);

/// The record of a change of settings, which meets no call.
CallRecord record_of_settings();

/// The record of a call that this rank refuses, by its own arguments; it meets no call either.
CallRecord record_of_refusal(Status why);
bool is_refusal(const CallRecord& record);

/// "rank 1 reduces 1025 values, this rank 1024": the first thing that differs.
std::string difference_text(const CallRecord& mine, const CallRecord& theirs, int peer);

}  // namespace qr
