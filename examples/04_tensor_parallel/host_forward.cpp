// The forward pass in host memory.
#include <qr_mpi/qr_mpi.h>

#include <algorithm>

#include "common/mpi_check.hpp"
#include "forward.hpp"
#include "gelu.hpp"

namespace examples {

namespace {

constexpr double kMicroseconds = 1e6;

/// result = rows x weights, in float, rounded once. A program that has to be fast calls a BLAS here.
void multiply(const std::vector<Bf16>& rows, std::size_t row_count, const Matrix& weights, bool with_gelu,
              std::vector<Bf16>& result) {
  const auto inner = static_cast<std::size_t>(weights.rows);
  const auto columns = static_cast<std::size_t>(weights.columns);
  std::vector<float> sums(columns);
  for (std::size_t row = 0; row < row_count; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::size_t k = 0; k < inner; ++k) {
      const float factor = to_float(rows[row * inner + k]);
      const Bf16* const weight = weights.values.data() + k * columns;
      for (std::size_t c = 0; c < columns; ++c) sums[c] += factor * to_float(weight[c]);
    }
    for (std::size_t c = 0; c < columns; ++c) {
      result[row * columns + c] = to_bf16(with_gelu ? gelu(sums[c]) : sums[c]);
    }
  }
}

class HostForward final : public Forward {
 public:
  explicit HostForward(const NetworkShare& share) : share_(share) {}

  Passes run(MPI_Comm comm, int passes) override {
    Passes result;
    for (int layer = 0; layer < share_.shape.layers; ++layer) {
      result.partial.emplace_back(share_.shape.activations());
      result.sum.emplace_back(share_.shape.activations());
    }
    result.pass_us = time_of(passes, [&] { pass(comm, result); });
    result.sums_us = time_of(passes, [&] {
      for (std::size_t layer = 0; layer < share_.layers.size(); ++layer) all_reduce(comm, layer, result);
    });
    return result;
  }

 private:
  void pass(MPI_Comm comm, Passes& result) const {
    const auto tokens = static_cast<std::size_t>(share_.shape.tokens);
    const std::vector<Bf16>* input = &share_.input.values;
    for (std::size_t layer = 0; layer < share_.layers.size(); ++layer) {
      const LayerShare& weights = share_.layers[layer];
      std::vector<Bf16> hidden(tokens * static_cast<std::size_t>(weights.up.columns));
      multiply(*input, tokens, weights.up, true, hidden);
      multiply(hidden, tokens, weights.down, false, result.partial[layer]);
      all_reduce(comm, layer, result);
      input = &result.sum[layer];
    }
  }

  static void all_reduce(MPI_Comm comm, std::size_t layer, Passes& result) {
    const auto count = static_cast<MPI_Count>(result.sum[layer].size());
    check(qr_mpi_allreduce_c(result.partial[layer].data(), result.sum[layer].data(), count,
                             qr_mpi_type_bfloat16(), MPI_SUM, comm));
  }

  /// The median of `times` runs after one that warms up.
  template <class Work>
  static double time_of(int times, const Work& work) {
    std::vector<double> microseconds;
    work();
    for (int i = 0; i < times; ++i) {
      const double begin = MPI_Wtime();
      work();
      microseconds.push_back((MPI_Wtime() - begin) * kMicroseconds);
    }
    return median(microseconds);
  }

  const NetworkShare& share_;
};

}  // namespace

std::unique_ptr<Forward> make_host_forward(const NetworkShare& share) {
  return std::make_unique<HostForward>(share);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace examples
