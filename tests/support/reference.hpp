// What a sum over ranks must be: the true sum in double precision, and how far a codec may be from it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codecs.hpp"
#include "floats.hpp"
#include "inputs.hpp"

namespace qr_test {

/// The sum of all ranks' inputs, for any count up to the one given; each rank can compute it alone.
template <class T>
class Reference {
 public:
  using ValueOf = std::function<T(int rank, std::int64_t index)>;

  Reference(ValueOf value_of, int world, std::int64_t count);
  /// Of the elements from `first` on, a multiple of 32: they are elements 0, 1, ... of this reference.
  Reference(const Input& input, int world, std::int64_t count, std::int64_t first = 0)
      : Reference([=](int rank, std::int64_t index) { return input.value<T>(rank, first + index); }, world,
                  count) {}

  /// `result`, the first `count` values of a call, is right for the codec and the algorithm.
  ///
  /// raw: bit for bit the sum in rank order, in fp32 for the 16-bit types, rounded once.
  /// Lossy codecs: at most error * S from the true sum for exchange, which quantizes once, and error * (S +
  /// R) for two_shot; S is the sum over ranks of the block's largest magnitudes, R the largest magnitude of
  /// the block's result. Added to that: the fp32 sum's and the output's rounding. A true sum beyond the
  /// type's range counts as its largest finite value. Of blocks that lie below 2^-110 nothing need be left.
  /// One rank: the input.
  testing::AssertionResult check(const T* result, std::int64_t count, const Codec& codec,
                                 const std::string& algorithm) const;

  /// Bit for bit what raw gives, except that any NaN is as good as another.
  testing::AssertionResult check_raw(const T* result, std::int64_t count) const;

  [[nodiscard]] double true_sum(std::int64_t index) const { return sum_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const T* raw() const { return raw_.data(); }
  [[nodiscard]] int world() const { return world_; }

 private:
  struct Block {
    double maxima = 0;  // S
    double faint = 0;   // the part of S that codecs may drop
    void add(double most);
  };
  [[nodiscard]] Block block_of(std::int64_t first, std::int64_t end) const;
  [[nodiscard]] testing::AssertionResult check_block(const T* result, std::int64_t first, std::int64_t end,
                                                     const Codec& codec, bool two_shots) const;

  ValueOf value_of_;
  int world_;
  std::vector<double> sum_;
  std::vector<T> raw_;
  std::vector<Block> blocks_;
};

extern template class Reference<Float16>;
extern template class Reference<BFloat16>;
extern template class Reference<float>;
extern template class Reference<double>;

/// The part of a long vector that one rank checks for all, where results are also compared between ranks.
struct Share {
  std::int64_t first, count;
};
Share share_of(std::int64_t count, int rank, int world);

}  // namespace qr_test
