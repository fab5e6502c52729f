// int4: 4-bit integers, 4.5 bits a value with scales, 1152 bytes a packet.
#pragma once

#include "../integer_codec.hpp"

namespace qr {

struct Int4 : IntegerCodec<4> {
  static constexpr const char* kName = "int4";
};

}  // namespace qr
