// base + max(link, memory + coding): the formulas behind plans for device memory.
#include "lib/cost_model.hpp"

#include <algorithm>

#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"
#include "kernels/platform/gpu_call.hpp"

namespace qr {

namespace {

constexpr double kBytesPerUs = 1e3;  // of 1 GB/s
constexpr double kMib = 1024.0 * 1024.0;

// Of one thread of a flagged exchange (kernels/platform/gpu_share.hpp).
constexpr int kThreadValues = 8;         // with a codec
constexpr double kThreadScaleBytes = 2;  // that travel with their codes
constexpr std::size_t kThreadRawBytes = 16;

constexpr int flagged_thread_values(bool exact, std::size_t width) {
  return exact ? static_cast<int>(kThreadRawBytes / width) : kThreadValues;
}

/// Sent to each peer: 16 bytes for every 8 of payload, the rest are flags.
double flagged_thread_bytes(int codec, bool exact) {
  if (exact) return 2.0 * kThreadRawBytes;
  const double codes = static_cast<double>(codec_info(codec).packet_bytes - kScaleBytes) / kPacketValues;
  return codes * kThreadValues + kThreadScaleBytes > 8 ? 32 : 16;
}

double base_us(const FormTimes& times, bool exact, int world) {
  return (exact ? times.raw_us : times.block_us) + (world - 2) * times.peer_us;
}

/// `bytes` leave the device, the same to each peer: the busiest of its ports and the way to one peer.
double link_us(double bytes, int world, const Tuning& tuning) {
  return std::max(bytes / tuning.link_gb_per_s, bytes / (world - 1) / tuning.peer_gb_per_s) / kBytesPerUs;
}

/// `bytes` read and written: what the cache holds at its rate, the rest at the memory's. (Raw calls of two
/// ranks on one H200: 3.7 TB/s of such traffic for each at 4 MiB, 2.1 to 2.3 from 64 MiB on.)
double memory_us(double bytes, const Tuning& tuning) {
  const double cached = std::min(bytes, tuning.cache_mib * kMib);
  return (cached / tuning.cache_gb_per_s + (bytes - cached) / tuning.memory_gb_per_s) / kBytesPerUs;
}

/// `encodes` and `decodes` of each of `count` values.
double codec_us(int codec, std::size_t width, double count, double encodes, double decodes,
                const Tuning& tuning) {
  const CodecRates& rates = tuning.codecs[static_cast<std::size_t>(std::min(codec, Tuning::kMostCodecs - 1))];
  const double encode = width == 2 ? rates.encode_16 : rates.encode_32;
  const double decode = width == 2 ? rates.decode_16 : rates.decode_32;
  return count * (encodes / encode + decodes / decode) / 1e3;
}

/// One store a word, polled by the thread that waits for it: no memory traffic to speak of beside the link,
/// but threads of a few values each, which make n codings in turn.
double flagged_us(int codec, bool exact, std::size_t width, int world, double count, const Tuning& tuning) {
  const double threads = count / flagged_thread_values(exact, width);
  const double sent = (world - 1) * threads * flagged_thread_bytes(codec, exact);
  const double rate = exact ? tuning.flagged_raw : tuning.flagged_block;
  return base_us(tuning.flagged, exact, world) +
         std::max(link_us(sent, world, tuning), threads * world / 2 / rate / 1e3);
}

}  // namespace

int flagged_block_values(int codec, DataType type) {
  return kFlaggedThreads * flagged_thread_values(codec_info(codec).exact, element_bytes(type));
}

bool fits_flagged(int codec, DataType type, std::int64_t count, int most_blocks) {
  return count > 0 && count <= std::int64_t{most_blocks} * flagged_block_values(codec, type);
}

double predict_us(Form form, int codec, DataType type, int world, std::int64_t count, const Tuning& tuning) {
  const bool exact = codec_info(codec).exact;
  const std::size_t width = element_bytes(type);
  const auto values = static_cast<double>(count);
  if (form == Form::kFlagged) return flagged_us(codec, exact, width, world, values, tuning);

  const double ranks = world;
  const double vector = values * static_cast<double>(width);
  const double coded =
      exact ? vector : values * static_cast<double>(codec_info(codec).packet_bytes) / kPacketValues;
  const bool exchange = form == Form::kExchange;
  // An exchange pushes the whole vector to n - 1 peers; a two_shot 1/n of it to each, and 1/n of the sum.
  const double sent = (exchange ? ranks - 1 : 2 * (ranks - 1) / ranks) * coded;
  // The vector is read, the result written, and what was pushed is written here by the peers and read again.
  // An exchange of raw reads its own values a second time; with a codec lanes hold them.
  const double traffic = 2 * vector + 2 * sent + (exchange && exact ? vector : 0);
  // Of each value: an exchange encodes its own and decodes those of all ranks; a two_shot encodes (n - 1)/n
  // of its values and 1/n of the sum, decodes (n - 1)/n that it adds, and the whole sum.
  const double decodes = exchange ? ranks : 2 - 1 / ranks;
  const double coding = exact ? 0 : codec_us(codec, width, values, 1, decodes, tuning);
  // Warps that code and warps that load do not hide each other's time (calls of 64 MiB with every codec: the
  // sum is within 4 % of what was measured, the greater of the two up to 30 % less), but the link's they do.
  return base_us(exchange ? tuning.exchange : tuning.two_shot, exact, world) +
         std::max(link_us(sent, world, tuning), memory_us(traffic, tuning) + coding);
}

}  // namespace qr
