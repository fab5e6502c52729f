// What a sum over ranks must be: the sums, and the comparison of a result with the documented bound.
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace qr_test {

namespace {
constexpr double kFaint = 0x1p-110;
}

template <class T>
Reference<T>::Reference(ValueOf value_of, int world, std::int64_t count)
    : value_of_(std::move(value_of)), world_(world) {
  const auto size = static_cast<std::size_t>(count);
  sum_.resize(size);
  raw_.resize(size);
  blocks_.resize((size + kBlock - 1) / kBlock);
  std::vector<Accumulator<T>> accumulated(size);
  for (int rank = 0; rank < world; ++rank) {
    double most = 0;
    for (std::size_t at = 0; at < size; ++at) {
      const double value = qr_test::value_of(value_of_(rank, static_cast<std::int64_t>(at)));
      const auto narrow = static_cast<Accumulator<T>>(value);
      sum_[at] += value;
      accumulated[at] = rank == 0 ? narrow : accumulated[at] + narrow;
      most = std::max(most, std::fabs(value));
      if ((at + 1) % kBlock == 0 || at + 1 == size) {
        blocks_[at / kBlock].add(most);
        most = 0;
      }
    }
  }
  for (std::size_t at = 0; at < size; ++at) raw_[at] = rounded<T>(accumulated[at]);
}

template <class T>
void Reference<T>::Block::add(double most) {
  maxima += most;
  if (most < kFaint) faint += most;
}

template <class T>
typename Reference<T>::Block Reference<T>::block_of(std::int64_t first, std::int64_t end) const {
  Block block;
  for (int rank = 0; rank < world_; ++rank) {
    double most = 0;
    for (std::int64_t index = first; index < end; ++index) {
      most = std::max(most, std::fabs(qr_test::value_of(value_of_(rank, index))));
    }
    block.add(most);
  }
  return block;
}

template <class T>
testing::AssertionResult Reference<T>::check_raw(const T* result, std::int64_t count) const {
  for (std::int64_t index = 0; index < count; ++index) {
    const T wanted = raw_[static_cast<std::size_t>(index)];
    if (bits_of(result[index]) == bits_of(wanted)) continue;
    const double is = qr_test::value_of(result[index]), should = qr_test::value_of(wanted);
    if (std::isnan(is) && std::isnan(should)) continue;
    return testing::AssertionFailure()
           << "element " << index << " of " << count << " is " << is << ", the rank-order sum " << should
           << " (bits " << std::hex << +bits_of(result[index]) << ", " << +bits_of(wanted) << ")";
  }
  return testing::AssertionSuccess();
}

template <class T>
testing::AssertionResult Reference<T>::check_block(const T* result, std::int64_t first, std::int64_t end,
                                                   const Codec& codec, bool two_shots) const {
  const bool whole = end % kBlock == 0 || end == static_cast<std::int64_t>(sum_.size());
  const Block block = whole ? blocks_[static_cast<std::size_t>(first / kBlock)] : block_of(first, end);
  double true_most = 0, result_most = 0;
  for (std::int64_t index = first; index < end; ++index) {
    true_most = std::max(true_most, std::fabs(true_sum(index)));
    result_most = std::max(result_most, std::fabs(qr_test::value_of(result[index])));
  }
  // R as the library gave it, but no larger than a right first shot can have made it: a wrong result must not
  // excuse itself.
  const double first_shot = codec.error * block.maxima;
  const double reduced_most = std::min(result_most, true_most + first_shot);
  double allowed = first_shot + (world_ - 1) * half_ulp<Accumulator<T>>(1) * block.maxima;
  if (!codec.exact()) allowed += block.faint;
  if (two_shots) allowed += codec.error * reduced_most;
  if (two_shots && true_most - allowed < kFaint) allowed += std::min(kFaint, true_most + first_shot);

  for (std::int64_t index = first; index < end; ++index) {
    const double wanted = std::clamp(true_sum(index), -largest<T>(), largest<T>());
    const double value = qr_test::value_of(result[index]);
    const double limit = allowed + half_ulp<T>(std::max(std::fabs(wanted), std::fabs(value)));
    if (std::isfinite(value) && std::fabs(value - wanted) <= limit) continue;
    return testing::AssertionFailure()
           << "element " << index << " is " << value << ", the true sum " << wanted << ": off by "
           << std::fabs(value - wanted) << ", allowed " << limit << " (S " << block.maxima << ", R "
           << reduced_most << ", codec error " << codec.error << ")";
  }
  return testing::AssertionSuccess();
}

template <class T>
testing::AssertionResult Reference<T>::check(const T* result, std::int64_t count, const Codec& codec,
                                             const std::string& algorithm) const {
  const bool any_order = algorithm == "mpi";
  if (world_ == 1 || (codec.exact() && !any_order)) return check_raw(result, count);
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const auto verdict =
        check_block(result, first, std::min(first + kBlock, count), codec, algorithm == "two_shot");
    if (!verdict) return verdict;
  }
  return testing::AssertionSuccess();
}

Share share_of(std::int64_t count, int rank, int world) {
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  const auto bound = [&](int part) { return std::min(blocks * part / world * kBlock, count); };
  return {bound(rank), bound(rank + 1) - bound(rank)};
}

template class Reference<Float16>;
template class Reference<BFloat16>;
template class Reference<float>;
template class Reference<double>;

}  // namespace qr_test
