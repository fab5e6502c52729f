// What packets of raw are, whatever the target: the values themselves.
#pragma once

#include <cstddef>
#include <cstring>

namespace qr {

/// Base of the class Engine, by which the copies of different targets have different names.
template <class E, class Engine>
struct RawPacket {
  static std::size_t used_bytes(int valid) {
    return static_cast<std::size_t>(valid) * sizeof(typename E::Storage);
  }
  static void encode(const void* values, int valid, std::byte* packet) {
    std::memcpy(packet, values, used_bytes(valid));
  }
  static void decode(const std::byte* packet, int valid, void* values) {
    std::memcpy(values, packet, used_bytes(valid));
  }
};

}  // namespace qr
