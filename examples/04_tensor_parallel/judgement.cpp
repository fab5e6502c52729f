// Exact results by MPI_Allreduce of doubles.
#include "judgement.hpp"

#include <algorithm>
#include <cmath>

#include "common/mpi_check.hpp"
#include "common/noise.hpp"
#include "gelu.hpp"

namespace examples {

namespace {

constexpr std::size_t kBlock = 32;           // values that share a scale
constexpr double kBf16ErrorOfLayer = 0.005;  // several times what rounding to bf16 does to a layer's output
constexpr double kGrowth = 1.25;             // of noise on its way through later layers; 1.04 is typical
constexpr double kFloatSums = 1.0 / (1 << 20);  // sums of floats, in units of their terms

void sum_over_ranks(std::vector<double>& values, MPI_Comm comm) {
  check(
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm));
}

std::vector<double> to_doubles(const std::vector<Bf16>& values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](Bf16 value) { return to_float(value); });
  return result;
}

std::vector<double> multiply(const std::vector<double>& rows, std::size_t row_count, const Matrix& weights) {
  const auto inner = static_cast<std::size_t>(weights.rows);
  const auto columns = static_cast<std::size_t>(weights.columns);
  std::vector<double> result(row_count * columns);
  for (std::size_t k = 0; k < inner; ++k) {
    const Bf16* const weight = weights.values.data() + k * columns;
    for (std::size_t row = 0; row < row_count; ++row) {
      const double factor = rows[row * inner + k];
      double* const sums = result.data() + row * columns;
      for (std::size_t c = 0; c < columns; ++c) sums[c] += factor * static_cast<double>(to_float(weight[c]));
    }
  }
  return result;
}

/// The largest magnitude of each block.
std::vector<double> block_maxima(const std::vector<double>& values) {
  std::vector<double> maxima((values.size() + kBlock - 1) / kBlock);
  for (std::size_t i = 0; i < values.size(); ++i) {
    maxima[i / kBlock] = std::max(maxima[i / kBlock], std::abs(values[i]));
  }
  return maxima;
}

/// The largest error of one all-reduce in units of its bound: that of the codec (see qr_mpi_allreduce), and
/// one rounding to bf16. A NaN counts as infinite.
double worst_of_sum(const std::vector<Bf16>& partial, const std::vector<double>& exact,
                    const std::vector<double>& got, double codec_error, MPI_Comm comm) {
  std::vector<double> terms = block_maxima(to_doubles(partial));
  sum_over_ranks(terms, comm);
  const std::vector<double> results = block_maxima(got);
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double term = terms[i / kBlock];
    const double bound =
        codec_error * (term + results[i / kBlock]) + kBf16Roundoff * std::abs(got[i]) + kFloatSums * term;
    const double error = std::abs(got[i] - exact[i]);
    if (!(error <= worst * bound)) worst = bound > 0 && std::isfinite(error) ? error / bound : HUGE_VAL;
  }
  return worst;
}

}  // namespace

std::vector<double> exact_output(const NetworkShare& share, int tokens, MPI_Comm comm) {
  const auto rows = static_cast<std::size_t>(tokens);
  std::vector<double> values = to_doubles(share.input.values);
  values.resize(rows * static_cast<std::size_t>(share.shape.width));
  for (const LayerShare& layer : share.layers) {
    std::vector<double> hidden = multiply(values, rows, layer.up);
    for (double& value : hidden) value = gelu(value);
    values = multiply(hidden, rows, layer.down);
    sum_over_ranks(values, comm);
  }
  return values;
}

Judgement judge(const Passes& passes, const std::vector<double>& exact, double codec_error,
                double largest_error, MPI_Comm comm) {
  Judgement result;
  for (std::size_t layer = 0; layer < passes.sum.size(); ++layer) {
    std::vector<double> exact_sum = to_doubles(passes.partial[layer]);
    sum_over_ranks(exact_sum, comm);
    const std::vector<double> sum = to_doubles(passes.sum[layer]);
    result.worst_sum =
        std::max(result.worst_sum, worst_of_sum(passes.partial[layer], exact_sum, sum, codec_error, comm));
    result.allowed_error += kBf16ErrorOfLayer + kGrowth * std::sqrt(noise_to_signal(exact_sum, sum));
  }
  if (largest_error > 0) result.allowed_error = largest_error;
  const std::vector<double> output = to_doubles(passes.sum.back());
  result.output_error = std::sqrt(noise_to_signal(exact, output));
  // Written so that a NaN is not good.
  int good = result.worst_sum <= 1 && result.output_error <= result.allowed_error;
  check(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm));
  result.good = good != 0;
  return result;
}

}  // namespace examples
