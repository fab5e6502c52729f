// What the host team does with one packet, as a table of functions for each codec, element type and
// operation.
#pragma once

#include <cstddef>

#include "types.hpp"

namespace qr {

/// Bits on the wire of a value of magnitude A in a block: how `raw` and the block codecs describe themselves.
struct CodecInfo {
  const char* name;          // as in the API and the environment
  double bits_per_value;     // with scales; for raw the element's own width (16 is given here)
  double error;              // bound on a value's error, in units of its block's largest magnitude; 0 for raw
  bool exact;                // raw
  std::size_t packet_bytes;  // of a full packet; 0 for raw, where it is 2,048 elements
};

/// Functions over one packet of `valid` (1..2,048) values of one element type. `values` need only be aligned
/// to its element; packets are aligned to 64 bytes. None of them allocates, fails or keeps state; all give
/// the same bits on every machine. A value that a packet lacks (behind `valid`) is neither read nor written.
/// `packets[r]` is rank r's packet; sums run in rank order.
struct PacketOps {
  std::size_t packet_bytes;  // of a full packet, a multiple of 64
  bool exact;                // raw: a packet is the values themselves

  /// Bytes of a packet that holds `valid` values; what a push copies.
  std::size_t (*used_bytes)(int valid);

  /// Values to packet.
  void (*encode)(const void* values, int valid, std::byte* packet);

  /// Packet to values.
  void (*decode)(const std::byte* packet, int valid, void* values);

  /// The exchange's reduction: packets of all ranks, own one included, decoded, summed in fp32 in rank order,
  /// written as values. Lossy codecs saturate at the type's largest finite value; a NaN or Inf makes its
  /// block NaN.
  void (*sum)(const std::byte* const* packets, int world, int valid, void* values);

  /// The owner's part of the two-shot: own values exact at place `rank`, the others decoded from packets
  /// (packets[rank] is not read), summed in rank order, encoded once into `packet`, and the decoded packet
  /// written to `values` (which may be `own`). For raw `packet` may be null: `values` is the packet.
  void (*reduce)(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                 std::byte* packet, void* values);
};

/// Number of codecs in this build; index 0 is raw.
int codec_count();
const CodecInfo& codec_info(int codec);
/// Index of the codec of that name, -1 if there is none.
int find_codec(const char* name);

/// The fastest table this machine can run; null for a combination outside the fast path
/// (lossy codecs: kSum on float16, bfloat16, float32; raw: everything).
const PacketOps* packet_ops(int codec, DataType type, ReduceOp op);

/// The plain scalar reference; the same bits, always built, used by the tests.
const PacketOps* reference_packet_ops(int codec, DataType type, ReduceOp op);

/// What packet_ops() runs on: "avx512", "avx2", "neon", ... or "scalar".
const char* packet_ops_target();

}  // namespace qr
