// The training loop: local gradient, qr_mpi_allreduce, momentum step, in whichever memory the learner has.
#include "training.hpp"

#include <qr_mpi/qr_mpi.h>

#include <algorithm>
#include <random>
#include <vector>

#include "common/mpi_check.hpp"
#include "common/noise.hpp"
#include "evaluation.hpp"
#include "learner.hpp"
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
  const auto length = static_cast<int>(model.parameters().size());
  const auto learner = options.on_device
                           ? make_device_learner(model, dataset.train, (options.batch + ranks - 1) / ranks)
                           : make_host_learner(model, dataset.train);
  std::mt19937_64 random(seed);
  TrainingResult result{.parameters = length};
  int samples = 0;

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    learner->set_order(shuffled(dataset.train.size(), random));
    for (int begin = 0; begin < dataset.train.size(); begin += options.batch) {
      const int end = std::min(begin + options.batch, dataset.train.size());
      learner->compute_gradient(begin + rank, end, ranks);

      check(qr_mpi_allreduce(learner->gradient(), learner->sum(), length, MPI_FLOAT, MPI_SUM, comm));

      if (result.steps++ % kStepsBetweenSamples == 0) {
        result.noise_to_signal += noise_of_sum(learner->gradient_on_host(), learner->sum_on_host(), comm);
        ++samples;
      }
      // No rank sends its parameters to another: they stay equal because the sums have the same bits
      // everywhere.
      learner->step(options.learning_rate / static_cast<float>(end - begin), options.momentum);
    }
  }
  model.parameters() = learner->parameters_on_host();
  if (samples > 0) result.noise_to_signal /= samples;
  result.test_accuracy = accuracy(model, dataset.test, comm);
  result.same_on_all_ranks = same_on_all_ranks(model.parameters(), comm);
  return result;
}

}  // namespace examples
