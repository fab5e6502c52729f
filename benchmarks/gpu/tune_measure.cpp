// Plain copies, short and long calls of every form, and the fit.
#include "tune_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/packet_ops.hpp"
#include "lib/tuning_fit.hpp"
#include "peer_rate.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = 1024 * kKib;

// Where nothing of the device is known: what the cache of an H200 is to its memory.
constexpr double kCacheOverMemory = 1.75;

/// Collective. Bytes read plus written by copies within the device, all ranks at once; of the slowest rank
/// the best run.
double memory_rate(const TuneBench& bench) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr int kRuns = 7, kCopies = 8;
  const DeviceMemory from = allocate_device(kBytes);
  const DeviceMemory to = allocate_device(kBytes);
  const auto copy = [&] {
    hip_check(hipMemcpyAsync(to.get(), from.get(), kBytes, hipMemcpyDeviceToDevice, bench.timer().stream()),
              "copy on the device");
  };
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    check(MPI_Barrier(bench.comm()), "MPI_Barrier");
    const double seconds = bench.timer().time(copy, [&] {
      for (int done = 0; done < kCopies; ++done) copy();
    });
    best = std::max(best, 2.0 * kBytes * kCopies / max_over_ranks(seconds, bench.comm()) / 1e9);
  }
  return best;
}

PeerRate peer_rate(const TuneBench& bench, int most_peers) {
  PeerRate rate = measure_peer_rate(bench.device(), bench.timer(), bench.comm(), most_peers);
  if (!rate.absent.empty()) throw CommonError("the rate of the links cannot be measured: " + rate.absent);
  return rate;
}

/// All that calls do not tell: rates of plain copies, and what is built in for such a device.
Tuning measure_rates(const TuneBench& bench) {
  const Device& device = bench.device();
  const Tuning built_in = shared_tuning(built_in_tuning(device.name), device.most_sharers);
  Tuning start = built_in;
  const bool known = start.label() != "default";
  const std::string name = fmt::format("{}-{}ranks", known ? start.label() : "measured", bench.ranks());
  start.name[name.copy(start.name, Tuning::kNameBytes - 1)] = '\0';
  start.link_gb_per_s = peer_rate(bench, kAllPeers).gb_per_s;
  start.peer_gb_per_s = bench.ranks() > 2 ? peer_rate(bench, 1).gb_per_s : start.link_gb_per_s;
  // Two ranks see one link of several.
  if (bench.ranks() == 2) start.link_gb_per_s *= built_in.link_gb_per_s / built_in.peer_gb_per_s;
  start.memory_gb_per_s = memory_rate(bench);
  if (!known) {
    start.cache_gb_per_s = kCacheOverMemory * start.memory_gb_per_s;
    start.cache_mib =
        static_cast<double>(device.cache_bytes) / static_cast<double>(kMib) / device.most_sharers;
  }
  if (bench.first()) {
    fmt::print(
        "# plain copies: {:.1f} GB/s out of a device, {:.1f} to one peer; memory {:.0f} read plus "
        "written{}\n",
        start.link_gb_per_s, start.peer_gb_per_s, start.memory_gb_per_s,
        device.most_sharers > 1 ? "; NO LINK: ranks share a device" : "");
    std::fflush(stdout);
  }
  return start;
}

/// Collective. Times calls one after the other.
class Calls {
 public:
  Calls(TuneBench& bench, double seconds) : bench_(bench), seconds_(seconds) {}

  /// False where a flagged exchange is too short for it.
  bool add(const Way& way, Element element, std::int64_t bytes) {
    const std::int64_t count = bytes / static_cast<std::int64_t>(bytes_of(element));
    const double us = bench_.time(bench_.contestant(way, element, count), seconds_);
    if (us <= 0) return false;
    list_.push_back({way.form, find_codec(way.codec.c_str()), data_type_of(element), count, us});
    return true;
  }
  [[nodiscard]] const std::vector<TimedCall>& list() const { return list_; }

 private:
  TuneBench& bench_;
  double seconds_;
  std::vector<TimedCall> list_;
};

void print_fit(const std::vector<TimedCall>& calls, const Tuning& tuning, int ranks) {
  fmt::print(
      "# calls measured, and what the table found from them predicts, us\n# {:<9} {:<6} {:<9} {:>9} {:>9} "
      "{:>10} {:>6}\n",
      "form", "codec", "type", "bytes", "measured", "predicted", "ratio");
  for (const TimedCall& call : calls) {
    const double us = predict_us(call.form, call.codec, call.type, ranks, call.count, tuning);
    const auto bytes = call.count * static_cast<std::int64_t>(element_bytes(call.type));
    fmt::print("  {:<9} {:<6} {:<9} {:>9} {:>9.2f} {:>10.2f} {:>6.2f}\n", name_of(call.form),
               codec_info(call.codec).name, qr::name_of(call.type), text_from_bytes(bytes), call.us, us,
               us / call.us);
  }
  std::fflush(stdout);
}

}  // namespace

Tuning measure_tuning(TuneBench& bench, const std::vector<std::string>& codecs, double seconds) {
  const Tuning start = measure_rates(bench);
  Calls calls(bench, seconds);
  bench.load(Element::kBFloat16);
  for (const std::string& codec : codecs) {
    calls.add({Form::kFlagged, codec}, Element::kBFloat16, 4 * kKib);
    calls.add({Form::kFlagged, codec}, Element::kBFloat16, 256 * kKib);
    std::int64_t longest = 4 * kMib;
    while (longest > 256 * kKib && !calls.add({Form::kFlagged, codec}, Element::kBFloat16, longest))
      longest /= 2;
    for (const Form form : {Form::kExchange, Form::kTwoShot}) {
      for (const std::int64_t bytes : {64 * kKib, 4 * kMib, kLongCall})
        calls.add({form, codec}, Element::kBFloat16, bytes);
    }
  }
  bench.load(Element::kFloat);
  for (const std::string& codec : codecs) {
    for (const Form form : {Form::kExchange, Form::kTwoShot})
      calls.add({form, codec}, Element::kFloat, kLongCall);
  }
  const Tuning tuning = fit_tuning(start, bench.ranks(), calls.list());
  if (bench.first()) print_fit(calls.list(), tuning, bench.ranks());
  return tuning;
}

}  // namespace qr::bench
