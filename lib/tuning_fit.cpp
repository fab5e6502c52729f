// Takes the model of cost_model.cpp apart, one constant after the other: what was found goes into the next.
#include "lib/tuning_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/packet_ops.hpp"

namespace qr {

namespace {

constexpr double kLeastUs = 0.01;
/// A call counts as limited by something other than the link where it takes so much longer.
constexpr double kBeyondLink = 1.05;
/// Coding that cannot be seen at all is taken for this many picoseconds a value.
constexpr double kLeastPs = 0.01;
constexpr double kHuge = 1e9;  // a rate that never limits

using Calls = std::vector<TimedCall>;

bool is_exact(const TimedCall& call) { return codec_info(call.codec).exact; }
double values_of(const TimedCall& call) { return static_cast<double>(call.count); }

template <class Wanted>
Calls those(const Calls& calls, const Wanted& wanted) {
  Calls some;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(some), wanted);
  return some;
}

double bytes_of(const TimedCall& call) {
  return values_of(call) * static_cast<double>(element_bytes(call.type));
}

/// Those of the fewest bytes.
Calls shortest(const Calls& calls) {
  double least = INFINITY;
  for (const TimedCall& call : calls) least = std::min(least, bytes_of(call));
  return those(calls, [&](const TimedCall& call) { return bytes_of(call) == least; });
}

/// The longest of each codec and type.
Calls longest(const Calls& calls) {
  return those(calls, [&](const TimedCall& call) {
    return std::none_of(calls.begin(), calls.end(), [&](const TimedCall& other) {
      return other.codec == call.codec && other.type == call.type && bytes_of(other) > bytes_of(call);
    });
  });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Fit {
 public:
  Fit(const Tuning& start, int world, const Calls& calls)
      : tuning_(start), copy_(start.memory_gb_per_s), world_(world), calls_(calls) {}

  Tuning run() {
    // The second time with rates that are nearly right.
    for (int pass = 0; pass < 2; ++pass) improve();
    return tuning_;
  }

 private:
  void improve() {
    for (const bool exact : {true, false}) {
      fit_base(Form::kFlagged, exact, exact ? tuning_.flagged.raw_us : tuning_.flagged.block_us,
               tuning_.flagged.peer_us);
      fit_threads(exact, exact ? tuning_.flagged_raw : tuning_.flagged_block);
      fit_base(Form::kExchange, exact, exact ? tuning_.exchange.raw_us : tuning_.exchange.block_us,
               tuning_.exchange.peer_us);
      fit_base(Form::kTwoShot, exact, exact ? tuning_.two_shot.raw_us : tuning_.two_shot.block_us,
               tuning_.two_shot.peer_us);
    }
    fit_cache();
    fit_memory();
    for (int codec = 1; codec < std::min(codec_count(), Tuning::kMostCodecs); ++codec) {
      CodecRates& rates = tuning_.codecs[static_cast<std::size_t>(codec)];
      fit_codec(codec, 2, rates.encode_16, rates.decode_16);
      fit_codec(codec, 4, rates.encode_32, rates.decode_32);
    }
  }
  [[nodiscard]] double predict(const TimedCall& call, const Tuning& tuning) const {
    return predict_us(call.form, call.codec, call.type, world_, call.count, tuning);
  }
  [[nodiscard]] double base_of(const TimedCall& call) const {
    const FormTimes& times = call.form == Form::kFlagged    ? tuning_.flagged
                             : call.form == Form::kExchange ? tuning_.exchange
                                                            : tuning_.two_shot;
    return (is_exact(call) ? times.raw_us : times.block_us) + (world_ - 2) * times.peer_us;
  }
  /// What the call took beyond its base.
  [[nodiscard]] double rest_of(const TimedCall& call) const {
    return std::max(call.us - base_of(call), kLeastUs);
  }
  /// What the model says if nothing but the link, or nothing but memory, took time beyond the base.
  [[nodiscard]] double link_of(const TimedCall& call) const {
    Tuning t = tuning_;
    t.flagged_raw = t.flagged_block = t.memory_gb_per_s = t.cache_gb_per_s = kHuge;
    t.codecs.fill({kHuge, kHuge, kHuge, kHuge});
    return predict(call, t) - base_of(call);
  }
  [[nodiscard]] double memory_of(const TimedCall& call, double cache, double memory) const {
    Tuning t = tuning_;
    t.link_gb_per_s = t.peer_gb_per_s = kHuge;
    t.cache_gb_per_s = cache;
    t.memory_gb_per_s = memory;
    t.codecs.fill({kHuge, kHuge, kHuge, kHuge});
    return predict(call, t) - base_of(call);
  }
  [[nodiscard]] bool beyond_link(const TimedCall& call) const {
    return rest_of(call) > kBeyondLink * link_of(call);
  }

  /// The shortest calls, less the little that the model gives to their data under the rates known so far.
  void fit_base(Form form, bool exact, double& base, double peer) const {
    std::vector<double> found;
    for (const TimedCall& call : shortest(those(
             calls_, [&](const TimedCall& each) { return each.form == form && is_exact(each) == exact; }))) {
      const double data = predict(call, tuning_) - base_of(call);
      found.push_back(std::max(call.us - data - (world_ - 2) * peer, kLeastUs));
    }
    if (!found.empty()) base = median(found);
  }

  /// From the longest flagged calls, unless the link explains them.
  void fit_threads(bool exact, double& rate) const {
    std::vector<double> found;
    for (const TimedCall& call : longest(those(calls_, [&](const TimedCall& each) {
           return each.form == Form::kFlagged && is_exact(each) == exact;
         }))) {
      // As the model has it with a rate of 1.
      Tuning one = tuning_;
      one.link_gb_per_s = one.peer_gb_per_s = kHuge;
      one.flagged_raw = one.flagged_block = 1;
      const double work = predict(call, one) - base_of(call);
      // Behind the link: at least as fast as it.
      found.push_back(beyond_link(call) ? work / rest_of(call) : 2 * work / link_of(call));
    }
    if (!found.empty()) rate = median(found);
  }

  [[nodiscard]] Calls raw_calls() const {
    return those(calls_,
                 [&](const TimedCall& each) { return each.form != Form::kFlagged && is_exact(each); });
  }

  /// From raw calls whose traffic the cache serves whole, unless the link explains them.
  void fit_cache() {
    std::vector<double> found;
    for (const TimedCall& call : raw_calls()) {
      if (memory_of(call, kHuge, 1) > 1e-3) continue;  // some of it does not fit
      // Where the base is most of the time, the rest is noise.
      if (!beyond_link(call) || rest_of(call) < base_of(call) / 2) continue;
      found.push_back(memory_of(call, 1, 1) / rest_of(call));
    }
    if (!found.empty()) tuning_.cache_gb_per_s = std::max(median(found), tuning_.memory_gb_per_s);
  }

  /// From the longest raw calls: what the kernels get out of the memory. Never far from what a copy got.
  void fit_memory() {
    std::vector<double> found;
    for (const Form form : {Form::kExchange, Form::kTwoShot}) {
      for (const TimedCall& call :
           longest(those(raw_calls(), [&](const TimedCall& each) { return each.form == form; }))) {
        const double uncached = memory_of(call, kHuge, 1);
        const double cached = memory_of(call, tuning_.cache_gb_per_s, kHuge);
        if (!beyond_link(call) || uncached < 1e-3 || rest_of(call) <= cached) continue;
        found.push_back(uncached / (rest_of(call) - cached));
      }
    }
    if (found.empty()) return;
    tuning_.memory_gb_per_s = std::clamp(median(found), copy_ / 2, copy_ * 1.5);
  }

  /// From the longest calls with this codec: what memory and link leave to coding. Decoding is taken for
  /// twice as fast as encoding (benchmarks/isa): two nearly equal times do not tell the two apart.
  void fit_codec(int codec, std::size_t width, double& encode, double& decode) const {
    std::vector<double> seen, hidden;
    for (const Form form : {Form::kExchange, Form::kTwoShot}) {
      for (const TimedCall& call : longest(those(calls_, [&](const TimedCall& each) {
             return each.form == form && each.codec == codec && element_bytes(each.type) == width;
           }))) {
        const double decodes = form == Form::kExchange ? world_ : 2 - 1.0 / world_;
        const double memory = memory_of(call, tuning_.cache_gb_per_s, tuning_.memory_gb_per_s);
        const double ps_of_us = 1e6 / values_of(call) / (1 + decodes / 2);
        if (beyond_link(call)) {
          seen.push_back(std::max((rest_of(call) - memory) * ps_of_us, kLeastPs));
        } else {
          // Anything up to this would look the same.
          hidden.push_back(std::max((link_of(call) - memory) / 2 * ps_of_us, kLeastPs));
        }
      }
    }
    if (seen.empty() && hidden.empty()) return;
    encode = 1000 / median(seen.empty() ? hidden : seen);
    decode = 2 * encode;
  }

  Tuning tuning_;
  double copy_;  // GB/s
  int world_;
  const Calls& calls_;
};

}  // namespace

Tuning fit_tuning(const Tuning& start, int world, const std::vector<TimedCall>& calls) {
  return Fit(start, world, calls).run();
}

}  // namespace qr
