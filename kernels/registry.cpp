// The codecs of this build by number and name, and the way from a codec to its packet functions. Filled from
// codec_list.hpp.
#include <cstring>
#include <iterator>
#include <string_view>

#include "codec.hpp"
#include "codec/raw.hpp"
#include "codec_list.hpp"
#include "math.hpp"
#include "packet.hpp"
#include "packet_ops.hpp"
#include "platform/tables.hpp"

namespace qr {
namespace {

template <BlockCodec<ScalarMath> Codec>
consteval CodecInfo describe() {
  constexpr std::size_t kBytes = packet_bytes(Codec::kBits);
  static_assert(kBytes % 64 == 0);
  return {Codec::kName, 8.0 * static_cast<double>(kBytes) / kPacketValues, Codec::kError, false, kBytes};
}

#define QR_DESCRIBE(name, Codec) describe<Codec>(),
constexpr CodecInfo kCodecs[] = {{Raw::kName, 16.0, 0.0, true, 0}, QR_BLOCK_CODECS(QR_DESCRIBE)};

// A codec's file, and so its identifier here, has the name that users give.
#define QR_CHECK_NAME(name, Codec) static_assert(std::string_view(Codec::kName) == #name);
QR_BLOCK_CODECS(QR_CHECK_NAME)

}  // namespace

int codec_count() { return static_cast<int>(std::size(kCodecs)); }

const CodecInfo& codec_info(int codec) { return kCodecs[codec]; }

int find_codec(const char* name) {
  for (int codec = 0; codec < codec_count(); ++codec) {
    if (std::strcmp(kCodecs[codec].name, name) == 0) return codec;
  }
  return -1;
}

const PacketOps* target_packet_ops(const Target& target, int codec, DataType type, ReduceOp op) {
  const auto type_index = static_cast<std::size_t>(type);
  if (codec < 0 || codec >= codec_count()) return nullptr;
  if (codec == 0) return &(*target.raw)[type_index][static_cast<std::size_t>(op)];
  if (op != ReduceOp::kSum || type_index >= kBlockTypeCount) return nullptr;
  return &(*target.block[codec - 1])[type_index];
}

const PacketOps* packet_ops(int codec, DataType type, ReduceOp op) {
  return target_packet_ops(target(0), codec, type, op);
}

const PacketOps* reference_packet_ops(int codec, DataType type, ReduceOp op) {
  return target_packet_ops(target(target_count() - 1), codec, type, op);
}

const char* packet_ops_target() { return target(0).name; }

}  // namespace qr
