// The packet functions of a block codec in plain scalar C++: the definition of what every faster version must
// give, bit by bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../bitpack.hpp"
#include "../block.hpp"
#include "../host_packet.hpp"
#include "../math.hpp"
#include "float_guard.hpp"

namespace qr::reference {

/// Values of one packet in fp32, in units of 2^kHeadroom or plain; missing ones are +0.
using Values = float[kPacketValues];

template <class C, class E>
class BlockEngine {
  using M = ScalarMath;
  using Storage = typename E::Storage;
  using Bytes = UnsignedWordOps<std::uint8_t>;
  static constexpr int kBits = C::kBits;

 public:
  static std::size_t used_bytes(int valid) { return host_used_bytes(valid, kBits); }

  static void encode(const void* values, int valid, std::byte* packet) {
    const FloatGuard guard;
    Values x = {};
    load(values, valid, x);
    encode_blocks<0>(x, valid, packet);
  }

  static void decode(const std::byte* packet, int valid, void* values) {
    const FloatGuard guard;
    Values x;
    decode_blocks<0>(packet, valid, x);
    store(x, valid, values);
  }

  static void sum(const std::byte* const* packets, int world, int valid, void* values) {
    const FloatGuard guard;
    Values total;
    add_ranks(nullptr, -1, packets, world, valid, total);
    constexpr float kMax = static_cast<float>(E::kMax);
    for (int i = 0; i < valid; ++i) {
      const float plain = total[i] * power_of_two(E::kHeadroom);
      total[i] = plain > kMax ? kMax : plain < -kMax ? -kMax : plain;  // NaN stays
    }
    store(total, valid, values);
  }

  static void reduce(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                     std::byte* packet, void* values) {
    const FloatGuard guard;
    Values total;
    add_ranks(own, rank, packets, world, valid, total);
    encode_blocks<E::kHeadroom>(total, valid, packet);
    decode_blocks<0>(packet, valid, total);
    store(total, valid, values);
  }

 private:
  static void load(const void* values, int valid, float* x) {
    for (int i = 0; i < valid; ++i) {
      Storage element;
      std::memcpy(&element,
                  static_cast<const std::byte*>(values) + static_cast<std::size_t>(i) * sizeof element,
                  sizeof element);
      x[i] = E::load(element);
    }
  }

  static void store(const float* x, int valid, void* values) {
    for (int i = 0; i < valid; ++i) {
      const Storage element = E::store(x[i]);
      std::memcpy(static_cast<std::byte*>(values) + static_cast<std::size_t>(i) * sizeof element, &element,
                  sizeof element);
    }
  }

  /// Contributions of all ranks, in units of 2^kHeadroom: rank `rank` (if any) with its exact values, the
  /// others decoded.
  static void add_ranks(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                        float* total) {
    constexpr float kUnit = power_of_two(-E::kHeadroom);
    const int stored = blocks_of(valid) * kBlockValues;
    Values x;
    for (int source = 0; source < world; ++source) {
      if (source == rank) {
        std::fill_n(x, stored, 0.0F);
        load(own, valid, x);
      } else {
        decode_blocks<E::kHeadroom>(packets[source], valid, x);
      }
      for (int i = 0; i < stored; ++i) {
        // A decoded value comes scaled, without rounding; an own one is scaled and added with one rounding.
        const float scaled = source == rank ? x[i] * kUnit : x[i];
        if (source == 0) {
          total[i] = scaled;
        } else {
          total[i] = source == rank ? M::fma(x[i], kUnit, total[i]) : total[i] + scaled;
        }
      }
    }
  }

  template <int kUnits>
  static void encode_blocks(const float* x, int valid, std::byte* packet) {
    const int blocks = blocks_of(valid);
    std::uint16_t words[kPacketBlocks] = {};
    for (int group = 0; group < groups_of(valid); ++group) {
      std::uint8_t rows[kGroupBlocks][kBlockValues];
      for (int row = 0; row < kGroupBlocks; ++row) {
        const int block = group * kGroupBlocks + row;
        if (block < blocks) {
          words[block] = encode_block<kUnits>(x + block * kBlockValues, rows[row]);
        } else {
          std::fill_n(rows[row], kBlockValues, static_cast<std::uint8_t>(C::template encode<M>(0.0F, 0.0F)));
        }
      }
      for (int column = 0; column < kBlockValues; ++column) {
        std::uint8_t codes[kGroupBlocks];
        std::uint8_t packed[kBits];
        for (int row = 0; row < kGroupBlocks; ++row) codes[row] = rows[row][column];
        pack<kBits, Bytes>(codes, packed);
        for (int row = 0; row < kBits; ++row) {
          packet[group_offset(group, kBits) + static_cast<std::size_t>(row * kBlockValues + column)] =
              std::byte{packed[row]};
        }
      }
    }
    std::memcpy(packet, words, sizeof words);
  }

  /// Codes of one block; returns its scale word.
  template <int kUnits>
  static std::uint16_t encode_block(const float* x, std::uint8_t* codes) {
    std::uint32_t key = 0;
    for (int i = 0; i < kBlockValues; ++i) key = std::max(key, extreme_key<M>(x[i]));
    const BlockScale<M> scale = block_scale<C, E, M, kUnits>(extreme_of_key<M>(key));
    for (int i = 0; i < kBlockValues; ++i) {
      codes[i] = static_cast<std::uint8_t>(C::template encode<M>(x[i], scale.inverse) & scale.keep);
    }
    return static_cast<std::uint16_t>(scale.word);
  }

  template <int kUnits>
  static void decode_blocks(const std::byte* packet, int valid, float* x) {
    std::uint16_t words[kPacketBlocks];
    std::memcpy(words, packet, sizeof words);
    const int blocks = blocks_of(valid);
    for (int group = 0; group < groups_of(valid); ++group) {
      for (int column = 0; column < kBlockValues; ++column) {
        std::uint8_t packed[kBits];
        std::uint8_t codes[kGroupBlocks];
        for (int row = 0; row < kBits; ++row) {
          packed[row] = std::to_integer<std::uint8_t>(
              packet[group_offset(group, kBits) + static_cast<std::size_t>(row * kBlockValues + column)]);
        }
        unpack<kBits, Bytes>(packed, codes);
        for (int row = 0; row < kGroupBlocks && group * kGroupBlocks + row < blocks; ++row) {
          const int block = group * kGroupBlocks + row;
          x[block * kBlockValues + column] =
              C::template decode<M>(codes[row], decode_scale<M, kUnits>(words[block]));
        }
      }
    }
  }
};

}  // namespace qr::reference
