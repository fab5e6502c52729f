// Signal-to-noise ratio of one quantization, in dB, on Gaussian values.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "kernels/packet.hpp"
#include "kernels/packet_ops.hpp"

namespace qr::test {

/// 10 log10(signal power / noise power) of `got` as a rendering of `wanted`; infinite if they are equal.
inline double sqnr_db(const std::vector<float>& wanted, const std::vector<float>& got) {
  double signal = 0.0;
  double noise = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double x = static_cast<double>(wanted[i]);
    const double error = static_cast<double>(got[i]) - x;
    signal += x * x;
    noise += error * error;
  }
  return 10.0 * std::log10(signal / noise);
}

/// `count` values of a standard normal distribution, always the same.
inline std::vector<float> gaussian_values(std::size_t count) {
  std::mt19937 generator(20240501);
  std::normal_distribution<float> gauss;
  std::vector<float> values(count);
  for (float& x : values) x = gauss(generator);
  return values;
}

/// fp32 values through one codec and back.
inline std::vector<float> round_trip(const PacketOps& ops, const std::vector<float>& values) {
  struct alignas(64) Packet {
    std::byte bytes[kPacketValues * sizeof(float)];
  } packet;
  std::vector<float> result(values.size());
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t index = 0; index < packets_of(count); ++index) {
    const auto first = static_cast<std::size_t>(index) * kPacketValues;
    const int valid = valid_values(index, count);
    ops.encode(values.data() + first, valid, packet.bytes);
    ops.decode(packet.bytes, valid, result.data() + first);
  }
  return result;
}

}  // namespace qr::test
