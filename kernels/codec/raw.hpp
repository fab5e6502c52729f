// raw: the values themselves, exact, at their own width; not a block codec (its packets are made by
// platform/*_raw.hpp).
#pragma once

namespace qr {

struct Raw {
  static constexpr const char* kName = "raw";
};

}  // namespace qr
