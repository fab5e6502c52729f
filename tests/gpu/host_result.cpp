// Inputs, expected bits and checksums for the device tests.
#include "host_result.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/element.hpp"
#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"

namespace qr::test {

namespace {

std::uint32_t scramble(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

void put(DataType type, std::byte* to, double x) {
  const auto store = [to](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (type) {
    case DataType::kFloat16:
      return store(float_to_float16(static_cast<float>(x)));
    case DataType::kBFloat16:
      return store(float_to_bfloat16(static_cast<float>(x)));
    case DataType::kFloat32:
      return store(static_cast<float>(x));
    case DataType::kFloat64:
      return store(x);
  }
}

double largest(DataType type) {
  return type == DataType::kFloat16    ? Float16::kMax
         : type == DataType::kBFloat16 ? BFloat16::kMax
                                       : Float32::kMax;
}

/// A value of block `block`; blocks differ in scale, from the smallest to the largest that the type has. But
/// only in every fourth half packet: the kernels have a road for halves where all scales are moderate.
double draw(DataType type, std::uint32_t block, std::uint32_t random, std::uint32_t seed) {
  constexpr std::uint32_t kHalfBlocks = kPacketBlocks / 2;
  const double unit = static_cast<double>(random >> 8) / (1 << 23) - 1.0;
  const bool wild = scramble(block / kHalfBlocks * 13 + seed) % 4 == 0;
  const std::uint32_t kind = scramble(block * 7 + seed) % 16;
  if (!wild && (kind == 2 || kind == 3 || kind == 5)) return unit;
  switch (kind) {
    case 0:
      return 0.0;
    case 1:
      return random % 8 == 0 ? unit : 0.0;
    case 2:
      return unit * largest(type);
    case 3:
      return unit * (type == DataType::kFloat16 ? 0x1p-22 : 0x1p-108);
    case 4:
      return random % 2 == 0 ? 1.0 : -1.0;
    case 5:
      return std::ldexp(unit, static_cast<int>(random % 30) - 15);
    case 6:
      return static_cast<double>(static_cast<int>(random % 17) - 8);
    case 7:
      return -0.0;
    default:
      return unit;
  }
}

template <class T>
void canonize(Bytes& values, T exponent, T fraction, T nan) {
  for (std::size_t at = 0; at + sizeof(T) <= values.size(); at += sizeof(T)) {
    T bits;
    std::memcpy(&bits, values.data() + at, sizeof bits);
    if ((bits & exponent) == exponent && (bits & fraction) != 0)
      std::memcpy(values.data() + at, &nan, sizeof nan);
  }
}

}  // namespace

Bytes make_input(DataType type, std::int64_t count, int rank, std::uint32_t seed, bool specials) {
  const std::size_t width = element_bytes(type);
  Bytes values(static_cast<std::size_t>(count) * width);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::uint32_t>(i / kBlockValues);
    const std::uint32_t random =
        scramble(static_cast<std::uint32_t>(i) * 31 + static_cast<std::uint32_t>(rank) * 977 + seed * 131);
    double x = draw(type, block, random, seed);
    if (specials && scramble(block + seed) % 32 == 5 && random % 64 == 0) {
      x = random % 128 == 0 ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
    }
    put(type, values.data() + static_cast<std::size_t>(i) * width, x);
  }
  return values;
}

Bytes host_result(const std::vector<Bytes>& inputs, const Request& request, const Plan& plan) {
  const PacketOps& ops = *packet_ops(plan.codec, request.type, request.op);
  const int world = static_cast<int>(inputs.size());
  const std::size_t stride = kPacketValues * element_bytes(request.type);
  const std::size_t room = (ops.packet_bytes + 63) / 64 * 64;
  Bytes result(inputs[0].size());
  std::vector<std::byte> storage(static_cast<std::size_t>(world + 1) * room + 64);
  auto* packets =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64);
  std::vector<const std::byte*> sources(static_cast<std::size_t>(world));
  for (std::int64_t packet = 0; packet < packets_of(request.count); ++packet) {
    const int valid = valid_values(packet, request.count);
    const std::size_t offset = static_cast<std::size_t>(packet) * stride;
    for (std::size_t rank = 0; rank < sources.size(); ++rank) {
      std::byte* place = packets + rank * room;
      ops.encode(inputs[rank].data() + offset, valid, place);
      sources[rank] = place;
    }
    if (plan.algorithm == Algorithm::kExchange) {
      ops.sum(sources.data(), world, valid, result.data() + offset);
    } else {
      const int owner = static_cast<int>(packet % world);
      ops.reduce(inputs[static_cast<std::size_t>(owner)].data() + offset, owner, sources.data(), world, valid,
                 packets + static_cast<std::size_t>(world) * room, result.data() + offset);
    }
  }
  return result;
}

void equalize_nans(DataType type, Bytes& values) {
  switch (type) {
    case DataType::kFloat16:
      return canonize<std::uint16_t>(values, 0x7C00, 0x03FF, 0x7E00);
    case DataType::kBFloat16:
      return canonize<std::uint16_t>(values, 0x7F80, 0x007F, 0x7FC0);
    case DataType::kFloat32:
      return canonize<std::uint32_t>(values, 0x7F800000, 0x007FFFFF, 0x7FC00000);
    case DataType::kFloat64:
      return canonize<std::uint64_t>(values, 0x7FF0000000000000, 0x000FFFFFFFFFFFFF, 0x7FF8000000000000);
  }
}

std::uint64_t checksum(const Bytes& values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::byte byte : values) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace qr::test
