// The training loop: local gradient, qr_mpi_allreduce, momentum step.
#include "training.hpp"

#include <qr_mpi/qr_mpi.h>

#include <algorithm>
#include <random>
#include <vector>

#include "common/mpi_check.hpp"
#include "common/noise.hpp"
#include "evaluation.hpp"
#include "mlp.hpp"
#include "shuffle.hpp"

namespace examples {

namespace {

constexpr int kStepsBetweenSamples = 16;  // the exact sum costs far more than the step it judges

/// Noise of one sum of gradients, against the sum of the same gradients in double precision.
double noise_of_sum(const std::vector<float>& local, const std::vector<float>& sum, MPI_Comm comm) {
  std::vector<double> exact(local.begin(), local.end());
  check(MPI_Allreduce(MPI_IN_PLACE, exact.data(), static_cast<int>(exact.size()), MPI_DOUBLE, MPI_SUM, comm));
  return noise_to_signal(exact, sum);
}

}  // namespace

TrainingResult train(const Dataset& dataset, const TrainingOptions& options, std::uint64_t seed,
                     MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  check(MPI_Comm_rank(comm, &rank));
  check(MPI_Comm_size(comm, &ranks));
  Mlp model(kPixels, options.hidden, kClasses, seed);
  std::vector<float>& parameters = model.parameters();
  const int length = static_cast<int>(parameters.size());
  std::vector<float> local(parameters.size());
  std::vector<float> sum(parameters.size());
  std::vector<float> velocity(parameters.size());
  std::mt19937_64 random(seed);
  TrainingResult result{.parameters = length};
  int samples = 0;

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const std::vector<int> order = shuffled(dataset.train.size(), random);
    for (int begin = 0; begin < dataset.train.size(); begin += options.batch) {
      const int end = std::min(begin + options.batch, dataset.train.size());
      std::fill(local.begin(), local.end(), 0.0f);
      for (int place = begin + rank; place < end; place += ranks) {
        const int example = order[static_cast<std::size_t>(place)];
        model.add_gradient(dataset.train.image(example), dataset.train.label(example), local);
      }

      check(qr_mpi_allreduce(local.data(), sum.data(), length, MPI_FLOAT, MPI_SUM, comm));

      if (result.steps++ % kStepsBetweenSamples == 0) {
        result.noise_to_signal += noise_of_sum(local, sum, comm);
        ++samples;
      }
      // No rank sends its parameters to another: they stay equal because the sums have the same bits
      // everywhere.
      const float rate = options.learning_rate / static_cast<float>(end - begin);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        velocity[i] = options.momentum * velocity[i] + sum[i];
        parameters[i] -= rate * velocity[i];
      }
    }
  }
  if (samples > 0) result.noise_to_signal /= samples;
  result.test_accuracy = accuracy(model, dataset.test, comm);
  result.same_on_all_ranks = same_on_all_ranks(parameters, comm);
  return result;
}

}  // namespace examples
