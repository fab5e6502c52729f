// Sampling: barrier, clock, calls, clock; medians of the slowest rank's times.
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace qr::bench {
namespace {

constexpr int kFewest = 5;
constexpr int kMost = 20000;
constexpr double kLargestBatch = 64;
/// A barrier lets ranks go at times that differ by about a microsecond and the clock costs some 20 ns: calls
/// shorter than this are timed several at a time, so that neither counts.
constexpr double kSampleSeconds = 20e-6;

double sample(const Contestant& contestant, int batch, MPI_Comm comm) {
  if (contestant.prepare) contestant.prepare();
  check(MPI_Barrier(comm), "MPI_Barrier");
  if (contestant.clock) return contestant.clock(batch);
  const double start = now_seconds();
  for (int call = 0; call < batch; ++call) contestant.call();
  return now_seconds() - start;
}

/// Warms a contestant up and chooses the calls in a sample; equal on all ranks.
int warm_up(const Contestant& contestant, const TimingOptions& options, MPI_Comm comm) {
  const int batch = std::max(1, contestant.batch);
  double quickest = sample(contestant, batch, comm);
  for (int call = 1; call < options.warmup; ++call)
    quickest = std::min(quickest, sample(contestant, batch, comm));
  if (contestant.batch > 0) return batch;
  quickest = max_over_ranks(quickest, comm);
  if (contestant.prepare) return 1;
  if (options.batch > 0) return options.batch;
  return static_cast<int>(
      std::clamp(std::ceil(kSampleSeconds / std::max(quickest, 1e-9)), 1.0, kLargestBatch));
}

/// Rounds until the next look at the clock: all that are left if their number is given, else as many as were
/// done so far, but no more than seem to fit. Equal on all ranks.
int next_rounds(int done, double used_seconds, double budget_seconds, const TimingOptions& options) {
  if (options.iterations > 0) return options.iterations - done;
  if (done == 0) return kFewest;
  const double fit = (budget_seconds - used_seconds) * done / std::max(used_seconds, 1e-9);
  return static_cast<int>(std::clamp(fit, 0.0, static_cast<double>(std::min(done, kMost - done))));
}

Timing summarize(std::vector<double> samples, int batch, MPI_Comm comm) {
  const int count = static_cast<int>(samples.size());
  check(MPI_Allreduce(MPI_IN_PLACE, samples.data(), count, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
  const double scale = 1e6 / batch;
  return {median * scale, samples.front() * scale, count, batch};
}

}  // namespace

std::vector<Timing> time_in_turn(const std::vector<Contestant>& contestants, const TimingOptions& options,
                                 MPI_Comm comm) {
  std::vector<int> batches;
  batches.reserve(contestants.size());
  for (const Contestant& contestant : contestants) batches.push_back(warm_up(contestant, options, comm));
  std::vector<std::vector<double>> samples(contestants.size());
  const double budget = options.seconds * static_cast<double>(contestants.size());
  const double start = now_seconds();
  double used = 0;
  int done = 0;
  while (const int rounds = next_rounds(done, used, budget, options)) {
    for (const int end = done + rounds; done < end; ++done) {
      for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
        const std::size_t who = (turn + static_cast<std::size_t>(done)) % contestants.size();
        samples[who].push_back(sample(contestants[who], batches[who], comm));
      }
    }
    used = max_over_ranks(now_seconds() - start, comm);
  }
  std::vector<Timing> timings;
  for (std::size_t who = 0; who < contestants.size(); ++who) {
    timings.push_back(summarize(std::move(samples[who]), batches[who], comm));
  }
  return timings;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace qr::bench
