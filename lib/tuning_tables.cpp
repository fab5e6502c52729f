// The tables that are built in, and where their figures come from. qr_mpi_tune measures those of another
// node.
#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "kernels/packet_ops.hpp"
#include "lib/tuning.hpp"

namespace qr {

namespace {

/// Larger than any arena allows.
constexpr std::int32_t kAsTheArenasAllow = 1 << 16;

/// Picoseconds that encoding a value of 16 or 32 bits takes beyond its memory traffic: of a whole H200, as
/// qr_mpi_tune found from calls of bf16 and fp32 by two ranks on one device (benchmarks/results). Decoding is
/// taken for half of it, as benchmarks/isa counts instructions; calls do not tell the two apart.
struct EncodeTime {
  const char* codec;
  double ps16;
  double ps32;
};
using EncodeTimes = EncodeTime[6];
constexpr EncodeTimes kH200Encode = {{"int8", 0.132, 0.318}, {"int6", 0.095, 0.288}, {"int4", 0.088, 0.323},
                                     {"int3", 0.113, 0.334}, {"fp8", 0.083, 0.315},  {"fp4", 0.465, 0.438}};
/// Estimated: the H200's before it encoded elements of 16 bits two at a time, which AMD's GPUs do for fp16
/// only.
constexpr EncodeTimes kOneByOneEncode = {{"int8", 0.166, 0.348}, {"int6", 0.178, 0.312},
                                         {"int4", 0.184, 0.349}, {"int3", 0.219, 0.334},
                                         {"fp8", 0.115, 0.319},  {"fp4", 0.506, 0.491}};
constexpr EncodeTime kOther = {"", 0.5, 0.5};  // a codec that nobody has measured: as the slowest of these

/// Rates that are `factor` times those of `times`.
void set_codecs(Tuning& tuning, const EncodeTimes& times, double factor) {
  for (int codec = 1; codec < std::min(codec_count(), Tuning::kMostCodecs); ++codec) {
    EncodeTime time = kOther;
    for (const EncodeTime& known : times) {
      if (std::strcmp(known.codec, codec_info(codec).name) == 0) time = known;
    }
    const double encode16 = factor * 1000 / time.ps16;
    const double encode32 = factor * 1000 / time.ps32;
    tuning.codecs[static_cast<std::size_t>(codec)] = {encode16, 2 * encode16, encode32, 2 * encode32};
  }
}

void set_name(Tuning& tuning, std::string_view name) { name.copy(tuning.name, Tuning::kNameBytes - 1); }

/// Measured (CUDA graphs), on two H200 joined by NVLink or, where it says so, by two ranks on one under MPS:
/// what qr_mpi_tune found there, rates doubled, since each rank had half of the device.
Tuning h200() {
  Tuning t;
  set_name(t, "h200");
  // Two ranks on one device. Further ranks: estimated.
  t.flagged = {.raw_us = 2.01, .block_us = 2.29, .peer_us = 0.3};
  t.exchange = {.raw_us = 3.60, .block_us = 4.54, .peer_us = 0.4};
  t.two_shot = {.raw_us = 6.30, .block_us = 8.39, .peer_us = 0.4};
  t.flagged_blocks = kAsTheArenasAllow;
  // Two ranks on one device.
  t.flagged_raw = 50;
  t.flagged_block = 71;
  // Both directions at once, two devices; NVSwitch gives one peer as much as all of them.
  t.link_gb_per_s = 363;
  t.peer_gb_per_s = 363;
  t.memory_gb_per_s = 4420;  // two ranks on one device; a plain copy reads and writes 4200 to 4300
  // 50 MB of L2 (NVIDIA's data sheet); its rate: two ranks on one device.
  t.cache_gb_per_s = 7280;
  t.cache_mib = 48;
  set_codecs(t, kH200Encode, 1);
  return t;
}

/// NOT MEASURED: estimates from the H200's figures, and rates at 80 % of the data sheet's, in GB/s.
struct DataSheet {
  const char* name;
  double peer;  // a link to one peer, in each direction
  int links;
  double memory;
};
constexpr DataSheet kMi300x = {"mi300x", 64, 7, 5300};
constexpr DataSheet kMi355x = {"mi355x", 76.8, 7, 8000};

Tuning estimated(const DataSheet& sheet) {
  constexpr double kReached = 0.8;
  Tuning t;
  set_name(t, sheet.name);
  t.peer_gb_per_s = kReached * sheet.peer;
  t.link_gb_per_s = sheet.links * t.peer_gb_per_s;
  t.memory_gb_per_s = kReached * sheet.memory;
  // Estimated at 1.5 times the H200's where a kernel begins when the one before has ended, as it does here:
  // longer launches and round trips through Infinity Fabric.
  t.flagged = {.raw_us = 4.5, .block_us = 4.6, .peer_us = 0.4};
  t.exchange = {.raw_us = 6.0, .block_us = 7.0, .peer_us = 0.5};
  t.two_shot = {.raw_us = 10.0, .block_us = 13.5, .peer_us = 0.5};
  t.flagged_blocks = kAsTheArenasAllow;
  // Estimated: as the H200.
  t.flagged_raw = 57;
  t.flagged_block = 71;
  // Estimated: half the peak of 17.2 TB/s that AMD's CDNA 3 white paper gives for the Infinity Cache of
  // 256 MiB, and half its size, since user data stream past it.
  t.cache_gb_per_s = 8600;
  t.cache_mib = 128;
  // Estimated: as many instructions a value (benchmarks/isa), about as many a second.
  set_codecs(t, kOneByOneEncode, 1);
  return t;
}

/// NOT MEASURED: guesses for a device that nobody has seen, twice the times and a fraction of the rates of
/// the H200. Slow links make a lossy codec and the two-shot come early, which costs little where they are
/// fast.
Tuning cautious() {
  Tuning t;
  set_name(t, "default");
  t.flagged = {.raw_us = 6, .block_us = 6.2, .peer_us = 0.6};
  t.exchange = {.raw_us = 8, .block_us = 9.5, .peer_us = 0.8};
  t.two_shot = {.raw_us = 13, .block_us = 18, .peer_us = 0.8};
  t.flagged_blocks = kAsTheArenasAllow;
  t.flagged_raw = 20;
  t.flagged_block = 12;
  t.link_gb_per_s = 100;
  t.peer_gb_per_s = 50;
  t.memory_gb_per_s = 1000;
  t.cache_gb_per_s = 1500;
  t.cache_mib = 16;
  set_codecs(t, kOneByOneEncode, 0.25);
  return t;
}

bool has(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

Tuning built_in_tuning(std::string_view device) {
  if (has(device, {"H200"})) return h200();
  if (has(device, {"MI300X", "gfx942"})) return estimated(kMi300x);
  if (has(device, {"MI355X", "MI350X", "gfx950"})) return estimated(kMi355x);
  return cautious();
}

Tuning shared_tuning(const Tuning& tuning, int sharers) {
  Tuning t = tuning;
  if (sharers <= 1) return t;
  const double parts = sharers;
  for (double* rate : {&t.flagged_raw, &t.flagged_block, &t.memory_gb_per_s, &t.cache_gb_per_s, &t.cache_mib})
    *rate /= parts;
  // A byte that is sent is read and written there: two ranks on one H200 send each other 999 GB/s at once.
  t.link_gb_per_s = t.memory_gb_per_s / 2;
  t.peer_gb_per_s = t.link_gb_per_s;
  for (CodecRates& codec : t.codecs) {
    for (double* rate : {&codec.encode_16, &codec.decode_16, &codec.encode_32, &codec.decode_32})
      *rate /= parts;
  }
  return t;
}

}  // namespace qr
