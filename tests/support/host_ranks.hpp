// Sessions of the host back end with threads as ranks, and the sums that they must give.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/packet_ops.hpp"
#include "lib/backend.hpp"
#include "lib/call_record.hpp"
#include "tests/support/thread_bootstrap.hpp"

namespace qr::test {

struct BFloat16 {
  std::uint16_t bits = 0;
};
template <class T>
inline constexpr DataType kTypeOf = sizeof(T) == 8   ? DataType::kFloat64
                                    : sizeof(T) == 4 ? DataType::kFloat32
                                                     : DataType::kBFloat16;
inline double real(double x) { return x; }
inline double real(float x) { return static_cast<double>(x); }
inline double real(BFloat16 x) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16));
}

/// A value of at most 7 significant bits in any of the types: exact.
template <class T>
T exactly(float x) {
  if constexpr (sizeof(T) == 2) {
    return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16)};
  } else {
    return static_cast<T>(x);
  }
}

/// Inputs of all ranks, of up to `count` values, and their sum.
template <class T>
class Inputs {
 public:
  Inputs(int world, std::int64_t count) : ranks_(static_cast<std::size_t>(world)) {
    const auto size = static_cast<std::size_t>(count);
    sum_.resize(size);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::minstd_rand random(static_cast<unsigned>(rank + 1));
      ranks_[rank].reserve(size);
      float scale = 1;
      for (std::size_t i = 0; i < size; ++i) {
        // Whole numbers up to 127 times a power of two of their block: their sums are exact in fp32.
        if (i % kBlockValues == 0) scale = std::ldexp(1.0F, static_cast<int>(random() % 7) - 3);
        ranks_[rank].push_back(
            exactly<T>(static_cast<float>(static_cast<int>(random() % 255) - 127) * scale));
        sum_[i] += real(ranks_[rank].back());
      }
    }
  }

  [[nodiscard]] const T* of(int rank) const { return ranks_[static_cast<std::size_t>(rank)].data(); }

  /// The bound of qr_mpi.h on a sum of the first `count` values.
  [[nodiscard]] testing::AssertionResult check(const T* result, std::int64_t count,
                                               const CodecInfo& codec) const {
    const auto size = static_cast<std::size_t>(count);
    for (std::size_t begin = 0; begin < size; begin += kBlockValues) {
      const std::size_t end = std::min(size, begin + kBlockValues);
      double maxima = 0;  // S: sum over ranks of the block's largest magnitudes
      for (const std::vector<T>& values : ranks_) {
        double most = 0;
        for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::abs(real(values[i])));
        maxima += most;
      }
      double most = 0;  // R: largest magnitude of the result's block
      for (std::size_t i = begin; i < end; ++i)
        most = std::max({most, std::abs(real(result[i])), std::abs(sum_[i])});
      for (std::size_t i = begin; i < end; ++i) {
        double bound = codec.error * (maxima + most);
        if (!codec.exact) bound += 1e-6 * maxima;  // sums of inexact values round in fp32
        if (sizeof(T) == 2) bound += most / 256;   // the result's own rounding
        if (!(std::abs(real(result[i]) - sum_[i]) <= bound)) {
          return testing::AssertionFailure() << "value " << i << " of " << count << " is " << real(result[i])
                                             << " and not " << sum_[i] << " to within " << bound;
        }
      }
    }
    return testing::AssertionSuccess();
  }

 private:
  std::vector<std::vector<T>> ranks_;
  std::vector<double> sum_;
};

/// The least arena for `world` ranks: regions of 16 KiB, so that little data makes many tiles.
inline Settings small_arenas(int world) {
  Settings settings;
  settings.arena_bytes = (static_cast<std::int64_t>(kRings * kRounds * world) * 16 + 32) << 10;
  settings.timeout_ms = 120000;
  return settings;
}

/// Runs body(session, bootstrap) on all ranks of a host session. Drowsy ranks fall asleep in the middle of
/// their waits.
template <class Body>
void run_sessions(int world, const Settings& settings, const Body& body, bool drowsy = false) {
  run_ranks(world, [&](ThreadGroup& group, int rank) {
    std::minstd_rand random(static_cast<unsigned>(rank + 1));
    ThreadBootstrap bootstrap(group, rank, [&random, drowsy] {
      if (drowsy && random() % 4 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
    });
    const SessionResult made = make_host_session(bootstrap, settings);
    if (!made.session) throw Error(made.why.status, made.why.text);
    body(*made.session, bootstrap);
    barrier(bootstrap);  // ranks of one process use one mapping: nobody unmaps it under another
  });
}

template <class T>
Work work_of(const T* send, T* recv, std::int64_t count, Algorithm algorithm, int codec) {
  Work work{.send = send,
            .recv = recv,
            .request = {count, kTypeOf<T>, ReduceOp::kSum},
            .plan = {algorithm, codec, ""}};
  work.record = record_of(work.request, work.plan);
  return work;
}

/// A hash of values, to compare results of ranks: eight bytes at a time, which keeps it cheap under
/// sanitizers.
template <class T>
std::uint64_t digest(const T* values, std::int64_t count) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(values);
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
  std::uint64_t hash = size;
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof(word), size - at));
    hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15ULL;
  }
  return hash;
}

/// Values of one tile of all owners together: of each size class there is a count near it.
inline std::int64_t tile_values(const Session& session, Algorithm algorithm, int codec, DataType type) {
  const std::size_t packet = packet_ops(codec, type, ReduceOp::kSum)->packet_bytes;
  const auto slots = static_cast<std::int64_t>(session.layout().region_bytes / packet);
  return slots * kPacketValues * (algorithm == Algorithm::kTwoShot ? session.layout().world : 1);
}

}  // namespace qr::test
