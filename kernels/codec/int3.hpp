// int3: 3-bit integers, 3.5 bits a value with scales, 896 bytes a packet.
#pragma once

#include "../integer_codec.hpp"

namespace qr {

struct Int3 : IntegerCodec<3> {
  static constexpr const char* kName = "int3";
};

}  // namespace qr
