// Speed of the packet functions of every codec, element type and target, one thread, data in cache: GB/s of
// element bytes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/packet.hpp"
#include "kernels/platform/tables.hpp"

namespace qr {
namespace {

constexpr int kPackets = 8;

struct alignas(64) Packet {
  std::byte bytes[kPacketValues * sizeof(double)];
};

/// Gaussian values of any type, at an address that is aligned to 64 bytes.
template <class E>
void fill(std::byte* to) {
  std::mt19937 generator(1);
  std::normal_distribution<float> gauss;
  for (int i = 0; i < kPacketValues; ++i) {
    const auto element = E::store(gauss(generator));
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof element, &element, sizeof element);
  }
}

void fill(DataType type, std::byte* to) {
  switch (type) {
    case DataType::kFloat16:
      return fill<Float16>(to);
    case DataType::kBFloat16:
      return fill<BFloat16>(to);
    case DataType::kFloat32:
      return fill<Float32>(to);
    case DataType::kFloat64:
      return fill<Float64>(to);
  }
}

/// One call of `work(packet)` for each of a few packets, timed; each handles `valid` values.
template <class Work>
void measure(benchmark::State& state, DataType type, int valid, const Work& work) {
  for (auto _ : state) {
    for (int packet = 0; packet < kPackets; ++packet) work(packet);
    benchmark::ClobberMemory();
  }
  const double bytes = static_cast<double>(valid) * static_cast<double>(element_bytes(type)) * kPackets;
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["ns"] = benchmark::Counter(
      kPackets * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add_benchmarks(const Target& target, int codec, DataType type, int valid) {
  const PacketOps* ops = target_packet_ops(target, codec, type, ReduceOp::kSum);
  if (ops == nullptr) return;
  const auto add = [&](const char* what, const auto& work) {
    const std::string name = std::string(target.name) + "/" + codec_info(codec).name + "/" + name_of(type) +
                             "/" + what + "/" + std::to_string(valid);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      std::vector<Packet> values(kPackets);
      std::vector<Packet> results(kPackets);
      std::vector<Packet> mine(kPackets);
      std::vector<Packet> theirs(kPackets);
      for (std::size_t packet = 0; packet < kPackets; ++packet) {
        fill(type, values[packet].bytes);
        ops->encode(values[packet].bytes, valid, mine[packet].bytes);
        ops->encode(values[packet].bytes, valid, theirs[packet].bytes);
      }
      measure(state, type, valid, [&](int index) {
        const auto packet = static_cast<std::size_t>(index);
        const std::byte* both[] = {mine[packet].bytes, theirs[packet].bytes};
        work(*ops, values[packet].bytes, results[packet].bytes, both, mine[packet].bytes);
      });
    });
  };
  using Both = const std::byte* const*;
  add("encode", [=](const PacketOps& table, std::byte* values, std::byte*, Both, std::byte* packet) {
    table.encode(values, valid, packet);
  });
  add("decode", [=](const PacketOps& table, std::byte*, std::byte* result, Both both, std::byte*) {
    table.decode(both[1], valid, result);
  });
  add("sum2", [=](const PacketOps& table, std::byte*, std::byte* result, Both both, std::byte*) {
    table.sum(both, 2, valid, result);
  });
  add("reduce2", [=](const PacketOps& table, std::byte* values, std::byte* result, Both both,
                     std::byte* packet) { table.reduce(values, 0, both, 2, valid, packet, result); });
}

}  // namespace
}  // namespace qr

int main(int argc, char** argv) {
  for (int target = 0; target < qr::target_count(); ++target) {
    for (int codec = 0; codec < qr::codec_count(); ++codec) {
      for (int type = 0; type < qr::kDataTypeCount; ++type) {
        for (const int valid : {qr::kPacketValues, 2}) {
          qr::add_benchmarks(qr::target(target), codec, static_cast<qr::DataType>(type), valid);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
