// The block codecs' arithmetic on the device, value by value, for codes_test.
#pragma once

#include <cstdint>
#include <vector>

namespace qr::test {

/// Codes that codec `codec` (from 1) gives to values in units of the scale, by what the library's kernels
/// use: a GPU's own instructions where it has them. sums: as for sums, which may be far beyond the largest
/// value.
std::vector<std::uint8_t> device_codes(int codec, bool sums, const std::vector<float>& values);

/// The values of codes, under scale 1.
std::vector<float> device_values(int codec, const std::vector<std::uint8_t>& codes);

}  // namespace qr::test
