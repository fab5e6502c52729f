// fp4: 4-bit floating point, E2M1 (0, 0.5, 1, 1.5, 2, 3, 4, 6 and negatives), 4.5 bits a value with scales,
// 1152 bytes a packet.
#pragma once

#include "../float_codec.hpp"

namespace qr {

struct Fp4 : FloatCodec<2, 1, 6> {
  static constexpr const char* kName = "fp4";
};

}  // namespace qr
