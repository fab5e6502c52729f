// int8: 8-bit integers, 8.5 bits a value with scales, 2176 bytes a packet.
#pragma once

#include "../integer_codec.hpp"

namespace qr {

struct Int8 : IntegerCodec<8> {
  static constexpr const char* kName = "int8";
};

}  // namespace qr
