// The sum over ranks on SIMD vectors: contributions are decoded and added in registers, in rank order.
#pragma once

#include "simd_group.hpp"

namespace qr::QR_TARGET {

/// Packets that are added in one go; the totals of more ranks pass through a buffer.
inline constexpr int kAtOnce = 8;

/// Contributions of `world` ranks in units of 2^kHeadroom: exact values from `own` at place `rank`, the
/// others decoded.
template <class C, class E>
class RankSum {
  using M = SimdMath;
  using Storage = typename E::Storage;

 public:
  /// `own` may be null, with a rank of -1.
  HWY_INLINE RankSum(const BlockReader<Storage>* own, int rank, const std::byte* const* packets, int world,
                     int valid)
      : own_(own), rank_(rank), packets_(packets), world_(world), blocks_(blocks_of(valid)) {}

  /// finish(block, F total[kVectors]) for each block.
  template <class Finish>
  HWY_INLINE void run(const Finish& finish) const {
    if (world_ == 2) {
      add<2>(0, 2, nullptr, finish);
    } else if (world_ <= kAtOnce) {
      add<0>(0, world_, nullptr, finish);
    } else {
      alignas(64) float totals[kPacketValues];
      const auto keep = [&](int block, const F* total) HWY_ATTR {
        for (int v = 0; v < kVectors; ++v) {
          hn::Store(total[v], M::D(), totals + block * kBlockValues + v * kLanes);
        }
      };
      int first = 0;
      for (; first + kAtOnce < world_; first += kAtOnce) add<0>(first, first + kAtOnce, totals, keep);
      add<0>(first, world_, totals, finish);
    }
  }

 private:
  /// Ranks [first, last), on top of `totals` where first is not 0. kWorld: their number, if it is known
  /// beforehand.
  template <int kWorld, class Finish>
  HWY_INLINE void add(int first, int last, const float* totals, const Finish& finish) const {
    const int ranks = kWorld != 0 ? kWorld : last - first;
    alignas(64) float scales[kAtOnce][kPacketBlocks];
    alignas(64) std::uint8_t rows[kAtOnce][kGroupValues];
    const std::uint8_t* codes[kAtOnce];
    for (int i = 0; i < ranks; ++i) {
      if (first + i != rank_) load_scales<E::kHeadroom>(packets_[first + i], blocks_, scales[i]);
    }
    for (int start = 0; start < blocks_; start += kGroupBlocks) {
      for (int i = 0; i < ranks; ++i) {
        if (first + i != rank_) {
          codes[i] = Group<C::kBits>::load(packets_[first + i], start / kGroupBlocks, rows[i]);
        }
      }
      const int end = start + kGroupBlocks < blocks_ ? start + kGroupBlocks : blocks_;
      for (int block = start; block < end; ++block) {
        const int offset = (block - start) * kBlockValues;
        F total[kVectors];
        const auto contribute = [&](int i, bool begins) HWY_ATTR {
          if (first + i == rank_) {
            add_own((*own_)[block], begins, total);
          } else {
            add_codes(codes[i] + offset, scales[i][block], begins, total);
          }
        };
        int next = 0;
        if (first == 0) {
          contribute(next++, true);
        } else {
          for (int v = 0; v < kVectors; ++v) {
            total[v] = hn::Load(M::D(), totals + block * kBlockValues + v * kLanes);
          }
        }
        for (; next < ranks; ++next) contribute(next, false);
        finish(block, total);
      }
    }
  }

  static HWY_INLINE void add_own(const Storage* own, bool begins, F* total) {
    const F unit = M::set(power_of_two(-E::kHeadroom));
    for (int v = 0; v < kVectors; ++v) {
      const F x = load_elements<E>(own + v * kLanes);
      total[v] = begins ? M::mul(x, unit) : M::fma(x, unit, total[v]);
    }
  }

  static HWY_INLINE void add_codes(const std::uint8_t* codes, float scale, bool begins, F* total) {
    const F factor = M::set(scale);
    for (int v = 0; v < kVectors; ++v) {
      const F x = C::template decode<M>(load_codes(codes + v * kLanes), factor);
      total[v] = begins ? x : hn::Add(total[v], x);
    }
  }

  const BlockReader<Storage>* own_;
  int rank_;
  const std::byte* const* packets_;
  int world_;
  int blocks_;
};

}  // namespace qr::QR_TARGET
