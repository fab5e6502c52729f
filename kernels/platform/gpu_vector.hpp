// A packet of the user's vectors as one lane sees it: 16 bytes at a time wherever they start. Only the words
// at the vector's end, and the stores to a vector at an odd address, go by elements.
#pragma once

#include "gpu_element.hpp"

namespace qr::gpu {

/// Where lane's 16-byte words of a packet are: word i of `kCount` is number start + i * stride, in groups of
/// `kGroup` neighbours.
template <int kGroup>
struct LaneWords {
  int start;
  int stride;
  __device__ int operator[](int i) const { return start + i / kGroup * stride + i % kGroup; }
};

/// 16 bytes from byte `shift`, at most 15, of two neighbouring words.
__device__ __forceinline__ uint4 shifted(const uint4& low, const uint4& high, int shift) {
  std::uint32_t word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int step = 2; step >= 1; --step) {
#pragma unroll
    for (int i = 0; i + step < 8; ++i) word[i] = (shift & (4 * step)) != 0 ? word[i + step] : word[i];
  }
  const int bits = shift % 4 * 8;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    word[i] = static_cast<std::uint32_t>((static_cast<std::uint64_t>(word[i + 1]) << 32 | word[i]) >> bits);
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/// A packet of the user's input: `valid` values exist from its start on, those behind it included as far as
/// a word; `whole` means that it is full and 16 bytes at a time can be read at its address.
template <class E>
class InputPacket {
  using Bits = typename BitsOf<E>::Type;
  static constexpr int kPerQuad = static_cast<int>(16 / sizeof(Bits));

 public:
  __device__ InputPacket(const std::byte* values, int valid, bool whole)
      : values_(values), valid_(valid), whole_(whole) {}

  /// kStream: values that nobody reads again; else such as this lane wrote just now, or will read again.
  template <bool kStream, int kCount, class Words>
  __device__ void load(const Words& words, uint4 (&quad)[kCount]) const {
    if (launder(whole_)) [[likely]] {
      const auto* from = reinterpret_cast<const uint4*>(values_);
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        quad[i] = kStream ? load_stream(from + words[i]) : load_cached(from + words[i]);
      return;
    }
    mark_rare();
    const int shift = misfit<E>(values_);
    const auto* aligned = reinterpret_cast<const uint4*>(values_ - shift);
    // Words below it lie in aligned ones that end before the vector does. The first aligned one may begin
    // before the vector, but never before an allocation.
    const int full = valid_ / kPerQuad - (shift != 0 ? 1 : 0);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      quad[i] = make_uint4(0, 0, 0, 0);
      if (words[i] >= full) continue;
      quad[i] = load_cached(aligned + words[i]);
      if (shift != 0) quad[i] = shifted(quad[i], load_cached(aligned + words[i] + 1), shift);
    }
#pragma unroll 1
    for (int word = full < 0 ? 0 : full; word * kPerQuad < valid_; ++word) {
      bool mine = false;
#pragma unroll
      for (int i = 0; i < kCount; ++i) mine = mine || words[i] == word;
      if (!mine) continue;
      const uint4 part = gather_quad<Bits>(values_ + word * 16, valid_ - word * kPerQuad);
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (words[i] == word) quad[i] = part;
      }
    }
  }

 private:
  const std::byte* values_;
  int valid_;
  bool whole_;
};

/// The same of the user's result.
template <class E>
class OutputPacket {
  using Bits = typename BitsOf<E>::Type;
  static constexpr int kPerQuad = static_cast<int>(16 / sizeof(Bits));

 public:
  __device__ OutputPacket(std::byte* values, int valid, bool whole)
      : values_(values), valid_(valid), whole_(whole) {}

  template <int kCount, class Words>
  __device__ void store(const Words& words, const uint4 (&quad)[kCount]) const {
    if (launder(whole_)) [[likely]] {
#pragma unroll
      for (int i = 0; i < kCount; ++i) store_stream(reinterpret_cast<uint4*>(values_) + words[i], quad[i]);
      return;
    }
    mark_rare();
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      std::byte* const to = values_ + words[i] * 16;
      const int left = valid_ - words[i] * kPerQuad;
      if (left >= kPerQuad && misfit<E>(values_) == 0) {
        store_stream(reinterpret_cast<uint4*>(to), quad[i]);
      } else {
        scatter_quad<Bits>(to, left, quad[i]);
      }
    }
  }

 private:
  std::byte* values_;
  int valid_;
  bool whole_;
};

/// Packet `packet` of `kValues` values in a vector of `count` elements: where it starts and how much of it
/// and of the word behind it there is.
template <class E, int kValues>
struct PacketPlace {
  __device__ PacketPlace(const void* vector, std::int64_t count, std::int64_t packet) {
    constexpr std::int64_t kBytes = kValues * static_cast<std::int64_t>(sizeof(typename E::Storage));
    constexpr std::int64_t kMost = kValues + 16 / static_cast<std::int64_t>(sizeof(typename E::Storage));
    const std::int64_t left = count - packet * kValues;
    valid = static_cast<int>(left < kMost ? left : kMost);
    whole = valid >= kValues && misfit<E>(vector) == 0;
    offset = packet * kBytes;
  }
  std::int64_t offset;  // bytes
  int valid;
  bool whole;  // the packet is full and fits accesses of 16 bytes
};

template <class E, int kValues>
__device__ __forceinline__ InputPacket<E> input_packet(const void* vector, std::int64_t count,
                                                       std::int64_t packet) {
  const PacketPlace<E, kValues> place(vector, count, packet);
  return {static_cast<const std::byte*>(vector) + place.offset, place.valid, place.whole};
}
template <class E, int kValues>
__device__ __forceinline__ OutputPacket<E> output_packet(void* vector, std::int64_t count,
                                                         std::int64_t packet) {
  const PacketPlace<E, kValues> place(vector, count, packet);
  return {static_cast<std::byte*>(vector) + place.offset, place.valid, place.whole};
}

}  // namespace qr::gpu
