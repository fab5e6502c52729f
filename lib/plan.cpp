// Chooses codec and algorithm of a call from what all ranks know.
#include "lib/plan.hpp"

#include <algorithm>

#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"
#include "lib/crossover.hpp"

namespace qr {

namespace {

/// Above every crossover, and far from overflow.
constexpr std::int64_t kHugeCount = std::int64_t{1} << 56;

struct CodecChoice {
  int codec;           // 0 is raw
  const char* reason;  // null where it is simply the codec that was asked for
};

/// Bytes of the user's vector from which on codec=auto is lossy.
std::int64_t lossy_from(DataType type, const Facts& facts) {
  return facts.memory == Memory::kDevice ? device_crossover::lossy_from_bytes(facts.world, type)
                                         : host_crossover::lossy_from_bytes(facts.world, type);
}

/// True when algorithm=auto takes two_shot for `bytes` of the user's vector, `packet` bytes on the way for
/// each kPacketValues of them.
bool prefers_two_shot(const Facts& facts, bool exact, std::int64_t count, std::int64_t width,
                      std::size_t packet) {
  if (facts.memory == Memory::kHost)
    return count * width >= host_crossover::two_shot_from_bytes(facts.world, exact);
  const std::int64_t packets = (count + kPacketValues - 1) / kPacketValues;
  return packets * static_cast<std::int64_t>(packet) >=
         device_crossover::two_shot_from_wire_bytes(facts.world, exact);
}

CodecChoice choose_codec(const Request& request, const Facts& facts, const Settings& settings,
                         std::int64_t bytes) {
  if (settings.codec == "raw") return {0, nullptr};
  if (request.op != ReduceOp::kSum || request.type == DataType::kFloat64) {
    return {0, "lossy codecs cover sums of 16- and 32-bit floats only"};
  }
  if (bytes < settings.min_bytes) return {0, "shorter than min_bytes, so it stays exact"};
  const bool automatic = settings.codec == "auto";
  if (automatic && bytes < lossy_from(request.type, facts)) {
    return {0, "codec=auto: raw is faster at this size"};
  }
  const int codec = find_codec(automatic ? settings.auto_codec.c_str() : settings.codec.c_str());
  if (codec < 0) return {0, "this build has no such codec"};
  return {codec, automatic ? "codec=auto: the lossy codec is faster at this size" : nullptr};
}

}  // namespace

Plan make_plan(const Request& request, const Facts& facts, const Settings& settings) {
  if (facts.world <= 1) return {Algorithm::kExchange, 0, "a single rank has nothing to add"};
  if (settings.algorithm == AlgorithmChoice::kMpi) return {Algorithm::kMpi, 0, "algorithm=mpi was asked for"};
  if (!facts.fast_path)
    return {Algorithm::kMpi, 0,
            facts.memory == Memory::kDevice ? "no device memory shared by all ranks"
                                            : "no shared memory between all ranks"};

  const std::int64_t count = std::clamp<std::int64_t>(request.count, 0, kHugeCount);
  const std::int64_t width = static_cast<std::int64_t>(element_bytes(request.type));
  const auto [codec, codec_reason] = choose_codec(request, facts, settings, count * width);
  const bool exact = codec == 0;
  const std::size_t packet =
      exact ? static_cast<std::size_t>(kPacketValues * width) : codec_info(codec).packet_bytes;
  if (packet > facts.region_bytes) {
    return {Algorithm::kMpi, 0,
            "the arena is too small for a packet of every rank; arena_bytes can be raised"};
  }

  const auto because = [codec_reason = codec_reason](const char* reason) {
    return codec_reason != nullptr ? codec_reason : reason;
  };
  switch (settings.algorithm) {
    case AlgorithmChoice::kExchange:
      return {Algorithm::kExchange, codec, because("algorithm=exchange was asked for")};
    case AlgorithmChoice::kTwoShot:
      return {Algorithm::kTwoShot, codec, because("algorithm=two_shot was asked for")};
    case AlgorithmChoice::kAuto:
    case AlgorithmChoice::kMpi:
      break;
  }
  if (!prefers_two_shot(facts, exact, count, width, packet)) {
    return {Algorithm::kExchange, codec, because("one handshake is the fastest at this size")};
  }
  return {Algorithm::kTwoShot, codec, because("two_shot moves the fewest bytes at this size")};
}

}  // namespace qr
