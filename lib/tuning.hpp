// The constants of a node that plans for device memory are made from: a table of times and rates, as text and
// as values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/bootstrap.hpp"

namespace qr {

/// What a form of the algorithm takes of two ranks where data do not count, and for each further rank.
struct FormTimes {
  double raw_us = 0;
  double block_us = 0;  // of a codec that is not raw
  double peer_us = 0;
};

/// Coding beyond the memory traffic that comes with it, in values a nanosecond of the whole device.
struct CodecRates {
  double encode_16 = 0;  // of 16-bit values
  double decode_16 = 0;
  double encode_32 = 0;  // of 32-bit values
  double decode_32 = 0;
};

/// Trivially copyable: rank 0's travels to all ranks as it is.
struct Tuning {
  static constexpr int kMostCodecs = 64;
  static constexpr std::size_t kNameBytes = 64;

  char name[kNameBytes] = "";  // of the node or its devices, for people
  FormTimes flagged;           // an exchange whose data carry their flags (kernels/platform/gpu_flagged.hpp)
  FormTimes exchange;          // an exchange with signals
  FormTimes two_shot;
  std::int32_t flagged_blocks = 0;  // the largest flagged exchange, if the arenas allow it; 0: none
  double flagged_raw = 0;           // threads of a flagged exchange of two ranks that end in a nanosecond
  double flagged_block = 0;         // the same with a codec
  double link_gb_per_s = 0;         // that a device sends to all others, 10^9 bytes a second
  double peer_gb_per_s = 0;         // to one of them
  double memory_gb_per_s = 0;       // read plus written
  double cache_gb_per_s = 0;        // the same within the cache
  double cache_mib = 0;             // traffic of a call that the cache serves
  std::array<CodecRates, kMostCodecs> codecs{};  // by number; 0, raw, is not used

  [[nodiscard]] std::string_view label() const { return name; }
};

/// The table in `text`: a version line, then a line `key value` for each constant, in any order; # begins a
/// comment. Throws Error(kConfig) that names `origin` (a file) and the line: what is wrong, and what to do.
Tuning parse_tuning(std::string_view text, std::string_view origin);

/// The text that parse_tuning() reads back to the same values.
std::string format_tuning(const Tuning& tuning);

/// parse_tuning() of a file. Throws Error(kConfig).
Tuning read_tuning(const std::string& path);

/// Collective. The table in the file that rank 0 finds at `path`, on all ranks; or all throw the same
/// Error(kConfig).
Tuning agree_on_tuning(Bootstrap& bootstrap, const std::string& path);

/// The table built in for a device of that name ("NVIDIA H200", "AMD Instinct MI300X gfx942"); where there is
/// none, one called "default", whose constants are cautious guesses.
Tuning built_in_tuning(std::string_view device);

/// The same for ranks that share a device with others: each has its part of it, and what they send each other
/// goes through its memory.
Tuning shared_tuning(const Tuning& tuning, int sharers);

}  // namespace qr
