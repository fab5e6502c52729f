// int6: 6-bit integers, 6.5 bits a value with scales, 1664 bytes a packet.
#pragma once

#include "../integer_codec.hpp"

namespace qr {

struct Int6 : IntegerCodec<6> {
  static constexpr const char* kName = "int6";
};

}  // namespace qr
