// A packet of the user's vectors as one lane sees it: 16 bytes at a time where alignment and length allow,
// else by elements.
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

/// A packet of the user's input: its `valid` values; `whole` means that all exist and the address is a
/// multiple of 16.
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
    if (launder(whole_)) {
      const auto* from = reinterpret_cast<const uint4*>(values_);
#pragma unroll
      for (int i = 0; i < kCount; ++i) quad[i] = kStream ? load_stream(from + words[i]) : from[words[i]];
      return;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      quad[i] = gather_quad<Bits>(values_ + words[i] * 16, valid_ - words[i] * kPerQuad);
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
    if (launder(whole_)) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) store_stream(reinterpret_cast<uint4*>(values_) + words[i], quad[i]);
      return;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      scatter_quad<Bits>(values_ + words[i] * 16, valid_ - words[i] * kPerQuad, quad[i]);
    }
  }

 private:
  std::byte* values_;
  int valid_;
  bool whole_;
};

/// Packet `packet` of `kValues` values in a vector of `count` elements: where it starts and how much of it
/// there is.
template <class E, int kValues>
struct PacketPlace {
  __device__ PacketPlace(const void* vector, std::int64_t count, std::int64_t packet) {
    constexpr std::int64_t kBytes = kValues * static_cast<std::int64_t>(sizeof(typename E::Storage));
    const std::int64_t left = count - packet * kValues;
    valid = static_cast<int>(left < kValues ? left : kValues);
    whole = valid == kValues && reinterpret_cast<std::uintptr_t>(vector) % 16 == 0;
    offset = packet * kBytes;
  }
  std::int64_t offset;  // bytes
  int valid;
  bool whole;  // all values exist and the address is a multiple of 16
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
