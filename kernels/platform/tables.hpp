// The tables of packet functions behind packet_ops(): one set for each target, that is instruction set, of
// this build.
#pragma once

#include <array>

#include "../element.hpp"
#include "../packet.hpp"
#include "../packet_ops.hpp"

namespace qr {

/// Tables of a block codec by element type: float16, bfloat16, float32, in the order of DataType.
inline constexpr int kBlockTypeCount = 3;
using BlockTables = std::array<PacketOps, kBlockTypeCount>;

/// Tables of raw by operation and by element type.
using RawRow = std::array<PacketOps, kReduceOpCount>;
using RawTables = std::array<RawRow, kDataTypeCount>;

struct Target {
  const char* name;
  const RawTables* raw;
  const BlockTables* const* block;  // of each block codec, in the order of the codec list
};

/// Targets that this machine can run, the fastest first; the last one is the scalar reference.
int target_count();
const Target& target(int index);

/// The table of one target; null where packet_ops() is null.
const PacketOps* target_packet_ops(const Target& target, int codec, DataType type, ReduceOp op);

/// Makes the tables of a codec from an engine's static functions (platform/reference_block.hpp,
/// simd_block.hpp).
template <template <class Codec, class E> class Engine, class Codec>
consteval BlockTables block_tables() {
  const auto table = []<class Block>() -> PacketOps {
    return {packet_bytes(Codec::kBits),
            false,
            Block::used_bytes,
            Block::encode,
            Block::decode,
            Block::sum,
            Block::reduce};
  };
  return {table.template operator()<Engine<Codec, Float16>>(),
          table.template operator()<Engine<Codec, BFloat16>>(),
          table.template operator()<Engine<Codec, Float32>>()};
}

/// The same for raw (platform/reference_raw.hpp, simd_raw.hpp).
template <template <class E, ReduceOp kOp> class Engine>
consteval RawTables raw_tables() {
  const auto table = []<class E, class Raw>() -> PacketOps {
    return {kPacketValues * sizeof(typename E::Storage),
            true,
            Raw::used_bytes,
            Raw::encode,
            Raw::decode,
            Raw::sum,
            Raw::reduce};
  };
  const auto row = [&]<class E>() -> RawRow {
    return {table.template operator()<E, Engine<E, ReduceOp::kSum>>(),
            table.template operator()<E, Engine<E, ReduceOp::kProd>>(),
            table.template operator()<E, Engine<E, ReduceOp::kMin>>(),
            table.template operator()<E, Engine<E, ReduceOp::kMax>>()};
  };
  return {row.template operator()<Float16>(), row.template operator()<BFloat16>(),
          row.template operator()<Float32>(), row.template operator()<Float64>()};
}

}  // namespace qr
