// fp8: 8-bit floating point, E4M3 as in the OCP specification, 8.5 bits a value with scales, 2176 bytes a
// packet.
#pragma once

#include "../float_codec.hpp"

namespace qr {

struct Fp8 : FloatCodec<4, 3, 448> {
  static constexpr const char* kName = "fp8";
};

}  // namespace qr
