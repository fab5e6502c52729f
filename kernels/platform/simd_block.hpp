// The packet functions of a block codec on SIMD vectors: the same bits as reference_block.hpp, which is the
// one to read first.
#pragma once

#include "float_guard.hpp"
#include "simd_sum.hpp"

namespace qr::QR_TARGET {

template <class C, class E>
class BlockEngine {
  using M = SimdMath;
  using Storage = typename E::Storage;
  using Codes = Group<C::kBits>;

 public:
  static std::size_t used_bytes(int valid) { return host_used_bytes(valid, C::kBits); }

  static void encode(const void* values, int valid, std::byte* packet) {
    const FloatGuard guard;
    const BlockReader<Storage> reader(static_cast<const Storage*>(values), valid);
    encode_blocks<E, 0>(reader, blocks_of(valid), packet, [](int, const U*) {});
  }

  static void decode(const std::byte* packet, int valid, void* values) {
    const FloatGuard guard;
    alignas(64) float scales[kPacketBlocks];
    alignas(64) std::uint8_t rows[kGroupValues];
    BlockWriter<Storage> writer(static_cast<Storage*>(values), valid);
    const int blocks = blocks_of(valid);
    load_scales<0>(packet, blocks, scales);
    for (int first = 0; first < blocks; first += kGroupBlocks) {
      const std::uint8_t* codes = Codes::load(packet, first / kGroupBlocks, rows);
      const int last = first + kGroupBlocks < blocks ? first + kGroupBlocks : blocks;
      for (int block = first; block < last; ++block, codes += kBlockValues) {
        U code[kVectors];
        for (int v = 0; v < kVectors; ++v) code[v] = load_codes(codes + v * kLanes);
        decode_block(code, scales[block], writer[block]);
      }
    }
    writer.flush();
  }

  static void sum(const std::byte* const* packets, int world, int valid, void* values) {
    const FloatGuard guard;
    BlockWriter<Storage> writer(static_cast<Storage*>(values), valid);
    RankSum<C, E>(nullptr, -1, packets, world, valid).run([&](int block, const F* total) HWY_ATTR {
      const F top = M::set(static_cast<float>(E::kMax));
      const F bottom = M::set(-static_cast<float>(E::kMax));
      Storage* to = writer[block];
      for (int v = 0; v < kVectors; ++v) {
        const F plain = M::mul(total[v], M::set(power_of_two(E::kHeadroom)));
        // Comparisons with NaN are false: it stays.
        const F bounded = hn::IfThenElse(hn::Lt(top, plain), top, plain);
        store_elements<E>(hn::IfThenElse(hn::Lt(bounded, bottom), bottom, bounded), to + v * kLanes);
      }
    });
    writer.flush();
  }

  static void reduce(const void* own, int rank, const std::byte* const* packets, int world, int valid,
                     std::byte* packet, void* values) {
    const FloatGuard guard;
    alignas(64) float total[kPacketValues];
    const BlockReader<Storage> reader(static_cast<const Storage*>(own), valid);
    RankSum<C, E>(&reader, rank, packets, world, valid).run([&](int block, const F* sums) HWY_ATTR {
      for (int v = 0; v < kVectors; ++v)
        hn::Store(sums[v], M::D(), total + block * kBlockValues + v * kLanes);
    });

    const int blocks = blocks_of(valid);
    alignas(64) float scales[kPacketBlocks];
    BlockWriter<Storage> writer(static_cast<Storage*>(values), valid);
    const BlockReader<float> sums(total, blocks * kBlockValues);
    encode_blocks<Float32, E::kHeadroom>(sums, blocks, packet, [&](int block, const U* codes) HWY_ATTR {
      if (block == 0) load_scales<0>(packet, blocks, scales);  // all words are there before the first code
      decode_block(codes, scales[block], writer[block]);
    });
    writer.flush();
  }

 private:
  /// What a packet's first pass finds out for the second.
  struct Scales {
    alignas(64) float inverse[kPacketBlocks];
    alignas(64) std::uint32_t keep[kPacketBlocks];
  };

  /// Values of type In, in units of 2^kUnits, to a packet; done(block, codes[kVectors]) after each block.
  template <class In, int kUnits, class Done>
  static HWY_INLINE void encode_blocks(const BlockReader<typename In::Storage>& reader, int blocks,
                                       std::byte* packet, const Done& done) {
    Scales scales;
    find_scales<In, kUnits>(reader, blocks, scales, reinterpret_cast<std::uint16_t*>(packet));
    alignas(64) std::uint8_t rows[kGroupValues];
    for (int first = 0; first < blocks; first += kGroupBlocks) {
      std::uint8_t* packed = Codes::place(packet, first / kGroupBlocks);
      std::uint8_t* to = C::kBits == 8 ? packed : rows;
      for (int row = 0; row < kGroupBlocks; ++row) {
        const int block = first + row;
        U code[kVectors];
        if (block < blocks) {
          const F inverse = M::set(scales.inverse[block]);
          const auto* from = reader[block];
          for (int v = 0; v < kVectors; ++v) {
            code[v] = C::template encode<M>(load_elements<In>(from + v * kLanes), inverse);
          }
          store_codes(code, scales.keep[block], to + row * kBlockValues);
          done(block, code);
        } else {
          for (int v = 0; v < kVectors; ++v) code[v] = C::template encode<M>(M::set(0.0F), M::set(0.0F));
          store_codes(code, ~0U, to + row * kBlockValues);
        }
      }
      if constexpr (C::kBits < 8) Codes::store(rows, packed);
    }
  }

  /// Scale words of all blocks into the packet, and what encoding needs: blocks side by side in vectors.
  template <class In, int kUnits>
  static HWY_INLINE void find_scales(const BlockReader<typename In::Storage>& reader, int blocks,
                                     Scales& scales, std::uint16_t* words) {
    constexpr int kStep = kLanes > 4 ? kLanes : 4;
    const int end = (blocks + kStep - 1) / kStep * kStep;
    alignas(64) std::uint32_t largest[kPacketBlocks];
    int first = 0;
    for (; first < blocks; first += 4) {
      U keys[4];
      for (int i = 0; i < 4; ++i) {
        const auto* from = reader[first + i];
        keys[i] = extreme_key<M>(load_elements<In>(from));
        for (int v = 1; v < kVectors; ++v) {
          keys[i] = hn::Max(keys[i], extreme_key<M>(load_elements<In>(from + v * kLanes)));
        }
      }
      store_largest(keys, largest + first);
    }
    for (; first < end; ++first) largest[first] = 0;

    for (int block = 0; block < end; block += kLanes) {
      const F extreme = extreme_of_key<M>(hn::Load(M::DU(), largest + block));
      const BlockScale<M> scale = block_scale<C, E, M, kUnits>(extreme);
      store_words(scale.word, words + block);
      hn::Store(scale.inverse, M::D(), scales.inverse + block);
      hn::Store(scale.keep, M::DU(), scales.keep + block);
    }
    std::memset(words + end, 0, static_cast<std::size_t>(kPacketBlocks - end) * sizeof *words);
  }

  static HWY_INLINE void decode_block(const U* codes, float scale, Storage* to) {
    const F factor = M::set(scale);
    for (int v = 0; v < kVectors; ++v) {
      store_elements<E>(C::template decode<M>(codes[v], factor), to + v * kLanes);
    }
  }
};

}  // namespace qr::QR_TARGET
