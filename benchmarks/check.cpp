// The reference is computed in double (long double for MPI_DOUBLE), block by block, from the inputs of all
// ranks.
#include "check.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "inputs.hpp"

namespace qr::bench {
namespace {

constexpr std::int64_t kBlock = 32;  // values that share a scale, and so a bound

struct Tally {
  double signal = 0, noise = 0, max_error = 0, bound_share = 0;
};

template <class T>
using Exact = std::conditional_t<std::is_same_v<T, double>, long double, double>;

/// Exact results of one block, and what its bound is made of.
template <class T>
struct Block {
  std::array<Exact<T>, kBlock> exact{};
  std::array<double, kBlock> magnitudes{};  // sum over ranks of |input|
  double largest_inputs = 0;                // sum over ranks of the block's largest |input|
};

template <class T, Operation kOperation>
Block<T> exact_block(std::int64_t first, std::int64_t values, const std::vector<std::uint64_t>& keys) {
  Block<T> block;
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    double largest = 0;
    for (std::int64_t lane = 0; lane < values; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const double value = to_double(input_value<T>(keys[rank], first + lane));
      const auto wide = static_cast<Exact<T>>(value);
      block.exact[at] = rank == 0 ? wide : combine<kOperation>(block.exact[at], wide);
      block.magnitudes[at] += std::fabs(value);
      largest = std::max(largest, std::fabs(value));
    }
    block.largest_inputs += largest;
  }
  return block;
}

/// Error that the library may make on one value, after the contract in qr_mpi.h plus what fp32 sums and the
/// result's own format round away. With fp64 the reference may round as well where long double is no wider.
template <class T, Operation kOperation>
double bound_of(double codec_error, double terms, double magnitude, double largest_inputs, double result,
                double largest_result, double output_rounding) {
  constexpr double kSumRounding = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
  constexpr double kSmallestHalf =
      std::is_same_v<T, Float16> ? 0x1p-25 : 0;  // half of the smallest subnormal
  if (kOperation == Operation::kMin || kOperation == Operation::kMax) return 0;
  // A rounding of the output is relative to the value before it, which is at most one rounding larger than
  // after it.
  const double rounding = output_rounding * (1 + output_rounding) * std::fabs(result) + kSmallestHalf;
  if (kOperation == Operation::kProd) return terms * kSumRounding * std::fabs(result) + rounding;
  if (codec_error == 0) return terms * kSumRounding * magnitude + rounding;
  return codec_error * (largest_inputs + largest_result) + terms * kSumRounding * largest_inputs + rounding;
}

template <class T, Operation kOperation>
Tally tally_blocks(const T* result, std::int64_t begin, std::int64_t end, double codec_error,
                   double output_rounding, const std::vector<std::uint64_t>& keys) {
  Tally tally;
  const auto terms = static_cast<double>(keys.size());
  for (std::int64_t first = begin; first < end; first += kBlock) {
    const std::int64_t values = std::min(kBlock, end - first);
    const Block<T> block = exact_block<T, kOperation>(first, values, keys);
    double largest_result = 0;
    for (std::int64_t lane = 0; lane < values; ++lane) {
      largest_result = std::max(largest_result, std::fabs(to_double(result[first + lane])));
    }
    for (std::int64_t lane = 0; lane < values; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const double value = to_double(result[first + lane]);
      const auto error = static_cast<double>(static_cast<Exact<T>>(value) - block.exact[at]);
      const auto exact = static_cast<double>(block.exact[at]);
      const double bound = bound_of<T, kOperation>(
          codec_error, terms, block.magnitudes[at], block.largest_inputs,
          std::max(std::fabs(value), std::fabs(exact)), largest_result, output_rounding);
      tally.signal += exact * exact;
      tally.noise += error * error;
      // A NaN anywhere must fail, and comparisons with NaN are false: ask whether all is well, not whether it
      // is not.
      if (!(std::fabs(error) <= tally.max_error)) tally.max_error = std::fabs(error);
      if (std::fabs(error) <= bound) {
        tally.bound_share = std::max(tally.bound_share, bound > 0 ? std::fabs(error) / bound : 0);
      } else {
        tally.bound_share = bound > 0 && std::isfinite(error)
                                ? std::max(tally.bound_share, std::fabs(error) / bound)
                                : std::numeric_limits<double>::infinity();
      }
    }
  }
  return tally;
}

/// 64 bits that differ if the buffers do (but for one chance in 2^64).
std::uint64_t fingerprint(const void* buffer, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(buffer);
  std::uint64_t state = bytes;
  while (bytes > 0) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(bytes, sizeof word);
    std::memcpy(&word, at, taken);
    state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
    state ^= state >> 29;
    at += taken;
    bytes -= taken;
  }
  return state;
}

bool same_on_all_ranks(std::uint64_t value, MPI_Comm comm) {
  std::array<std::uint64_t, 2> ends{
      value, ~value};  // one reduction gives the smallest value and the complement of the largest
  check(MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_UINT64_T, MPI_MIN, comm), "MPI_Allreduce");
  return ends[0] == ~ends[1];
}

}  // namespace

Accuracy check_result(const void* result, std::int64_t count, Element element, Operation operation,
                      double codec_error, MPI_Comm comm) {
  const int ranks = size_of(comm);
  const int rank = rank_of(comm);
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(ranks));
  for (int peer = 0; peer < ranks; ++peer) keys.push_back(key_of(peer));
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  const std::int64_t begin = std::min(count, blocks * rank / ranks * kBlock);
  const std::int64_t end = std::min(count, blocks * (rank + 1) / ranks * kBlock);

  const Tally mine = visit(element, [&]<class T>(T) {
    return visit(operation, [&]<Operation kOperation>(std::integral_constant<Operation, kOperation>) {
      return tally_blocks<T, kOperation>(static_cast<const T*>(result), begin, end, codec_error,
                                         rounding_of(element), keys);
    });
  });
  std::array<double, 2> sums{mine.signal, mine.noise};
  std::array<double, 2> largest{mine.max_error, mine.bound_share};
  check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, largest.data(), 2, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");

  Accuracy accuracy;
  accuracy.sqnr_db =
      sums[1] == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(sums[0] / sums[1]);
  accuracy.max_error = largest[0];
  accuracy.bound_share = largest[1];
  accuracy.same_bits =
      same_on_all_ranks(fingerprint(result, static_cast<std::size_t>(count) * bytes_of(element)), comm);
  return accuracy;
}

}  // namespace qr::bench
