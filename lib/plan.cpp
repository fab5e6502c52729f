// Chooses codec and algorithm of a call from what all ranks know.
#include "lib/plan.hpp"

#include <algorithm>

#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"
#include "lib/cost_model.hpp"
#include "lib/crossover.hpp"

namespace qr {

namespace {

/// Above every crossover, and far from overflow.
constexpr std::int64_t kHugeCount = std::int64_t{1} << 56;

/// Which codecs come into question: `exact_too` with raw beside a lossy one.
struct Codecs {
  int codec;           // 0 is raw
  bool exact_too;      // codec=auto
  const char* reason;  // null where it is simply the codec that was asked for
};

Codecs allowed_codecs(const Request& request, const Settings& settings, std::int64_t bytes) {
  if (settings.codec == "raw") return {0, false, nullptr};
  if (request.op != ReduceOp::kSum || request.type == DataType::kFloat64) {
    return {0, false, "lossy codecs cover sums of 16- and 32-bit floats only"};
  }
  if (bytes < settings.min_bytes) return {0, false, "shorter than min_bytes, so it stays exact"};
  const bool automatic = settings.codec == "auto";
  const int codec = find_codec(automatic ? settings.auto_codec.c_str() : settings.codec.c_str());
  if (codec < 0) return {0, false, "this build has no such codec"};
  return {codec, automatic, nullptr};
}

constexpr const char* kRawIsFaster = "codec=auto: raw is faster at this size";
constexpr const char* kLossyIsFaster = "codec=auto: the lossy codec is faster at this size";
constexpr const char* kExchangeAsked = "algorithm=exchange was asked for";
constexpr const char* kTwoShotAsked = "algorithm=two_shot was asked for";

/// Where packets of this codec do not fit.
Plan too_small() {
  return {Algorithm::kMpi, 0, "the arena is too small for a packet of every rank; arena_bytes can be raised"};
}

/// In host memory: from measured crossovers.
Plan host_plan(const Request& request, const Facts& facts, const Settings& settings, std::int64_t count,
               Codecs codecs) {
  const std::int64_t width = static_cast<std::int64_t>(element_bytes(request.type));
  const std::int64_t bytes = count * width;
  if (codecs.exact_too) {
    const bool lossy = bytes >= host_crossover::lossy_from_bytes(facts.world, request.type);
    codecs.reason = lossy ? kLossyIsFaster : kRawIsFaster;
    if (!lossy) codecs.codec = 0;
  }
  const bool exact = codecs.codec == 0;
  const std::size_t packet =
      exact ? static_cast<std::size_t>(kPacketValues * width) : codec_info(codecs.codec).packet_bytes;
  if (packet > facts.region_bytes) return too_small();

  const auto because = [&](const char* reason) { return codecs.reason != nullptr ? codecs.reason : reason; };
  if (settings.algorithm == AlgorithmChoice::kExchange)
    return {Algorithm::kExchange, codecs.codec, because(kExchangeAsked)};
  if (settings.algorithm == AlgorithmChoice::kTwoShot)
    return {Algorithm::kTwoShot, codecs.codec, because(kTwoShotAsked)};
  if (bytes < host_crossover::two_shot_from_bytes(facts.world, exact))
    return {Algorithm::kExchange, codecs.codec, because("one handshake is the fastest at this size")};
  return {Algorithm::kTwoShot, codecs.codec, because("two_shot moves the fewest bytes at this size")};
}

const char* reason_of(const Plan& plan, const Codecs& codecs, const Settings& settings) {
  if (codecs.reason != nullptr) return codecs.reason;
  if (codecs.exact_too) return plan.codec == 0 ? kRawIsFaster : kLossyIsFaster;
  if (settings.algorithm == AlgorithmChoice::kExchange) return kExchangeAsked;
  if (settings.algorithm == AlgorithmChoice::kTwoShot) return kTwoShotAsked;
  if (plan.algorithm == Algorithm::kTwoShot) return "two_shot is predicted to be the fastest at this size";
  return plan.flagged ? "an exchange without handshakes is predicted to be the fastest at this size"
                      : "one handshake is predicted to be the fastest at this size";
}

/// In device memory: the least that the model predicts. Where two are equal the first counts: raw before a
/// lossy codec, an exchange before a two_shot.
Plan device_plan(const Request& request, const Facts& facts, const Settings& settings, std::int64_t count,
                 const Codecs& codecs) {
  const int flagged_blocks = std::min(facts.flagged_blocks, facts.tuning.flagged_blocks);
  Plan best;
  const auto consider = [&](Form form, int codec) {
    const double us = predict_us(form, codec, request.type, facts.world, count, facts.tuning);
    if (best.algorithm != Algorithm::kMpi && us >= best.predicted_us) return;
    best.algorithm = form == Form::kTwoShot ? Algorithm::kTwoShot : Algorithm::kExchange;
    best.codec = codec;
    best.flagged = form == Form::kFlagged;
    best.predicted_us = us;
  };
  const auto consider_codec = [&](int codec) {
    if (settings.algorithm != AlgorithmChoice::kTwoShot) {
      if (fits_flagged(codec, request.type, count, flagged_blocks)) consider(Form::kFlagged, codec);
      consider(Form::kExchange, codec);
    }
    if (settings.algorithm != AlgorithmChoice::kExchange) consider(Form::kTwoShot, codec);
  };
  if (codecs.exact_too && codecs.codec != 0) consider_codec(0);
  consider_codec(codecs.codec);
  best.reason = reason_of(best, codecs, settings);
  return best;
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
  const Codecs codecs = allowed_codecs(request, settings, count * width);
  return facts.memory == Memory::kDevice ? device_plan(request, facts, settings, count, codecs)
                                         : host_plan(request, facts, settings, count, codecs);
}

}  // namespace qr
