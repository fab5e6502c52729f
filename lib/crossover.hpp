// The tuning table of the host back end: from which size on another codec or algorithm is the faster one.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace qr {

/// A size that no message has.
inline constexpr std::int64_t kNever = INT64_MAX;

/// codec=auto takes the lossy codec from this many bytes of the user's vector on. Between processes of one
/// machine memory is as fast as decoding, so the answer is never.
constexpr std::int64_t lossy_from_bytes(int /*world*/, DataType /*type*/) { return kNever; }

/// Two ranks, raw: two_shot halves the additions of each rank, exchange saves a handshake. In bytes of the
/// vector.
inline constexpr std::int64_t kTwoShotFromBytesOfTwo = 16 << 10;

/// More ranks: bytes that a rank sends in an exchange beyond those that it sends in a two_shot, up to which
/// they cost less than a second handshake.
inline constexpr int kExtraBytesOfExchange = 32 << 10;

/// algorithm=auto takes two_shot from this many encoded bytes of one rank's vector on.
constexpr std::int64_t two_shot_from_bytes(int world, bool exact) {
  // A lossy exchange of two ranks moves the same bytes as a two_shot with one handshake and one quantization
  // less.
  if (world <= 2) return exact ? kTwoShotFromBytesOfTwo : kNever;
  // Of a vector of E bytes exchange sends (n - 1) E, two_shot 2 (n - 1) E / n.
  return kExtraBytesOfExchange * world / ((world - 1) * (world - 2));
}

}  // namespace qr
