// One row: set, plan, time, check.
#include "runner.hpp"

#include <algorithm>
#include <cstring>

#include "inputs.hpp"
#include "rival.hpp"

namespace qr::bench {

std::vector<Case> cases_of(const BenchOptions& options) {
  std::vector<Case> cases;
  for (const Element element : options.types) {
    for (const Operation operation : options.operations) {
      for (const std::string& codec : options.codecs) {
        for (const std::string& algorithm : options.algorithms) {
          for (const Mode mode : options.modes) {
            for (const std::int64_t bytes : options.sizes()) {
              cases.push_back({bytes, element, operation, codec, algorithm, mode});
            }
          }
        }
      }
    }
  }
  return cases;
}

Runner::Runner(const BenchOptions& options)
    : options_(options),
      ours_(MPI_COMM_WORLD),
      rivals_(MPI_COMM_WORLD),
      buffer_bytes_(std::max<std::size_t>(static_cast<std::size_t>(options.max_bytes), sizeof(double))),
      inputs_(std::make_unique<unsigned char[]>(buffer_bytes_)),
      output_(std::make_unique<unsigned char[]>(buffer_bytes_)) {}

void Runner::load(Element element) {
  if (loaded_ == element) return;
  const std::size_t count = buffer_bytes_ / bytes_of(element);
  fill_inputs(inputs_.get(), static_cast<std::int64_t>(count), element, rank_of(ours_.get()));
  loaded_ = element;
}

Contestant Runner::contestant(std::function<void(const void* send)> call, std::size_t bytes) {
  if (!options_.in_place) return {[this, call = std::move(call)] { call(inputs_.get()); }, {}};
  // In place, a call eats its input: sums would grow until they overflow.
  return {[call = std::move(call)] { call(MPI_IN_PLACE); },
          [this, bytes] { std::memcpy(output_.get(), inputs_.get(), bytes); }};
}

std::optional<Row> plan_row(const Case& what, MPI_Comm ours, bool on_device) {
  Row row;
  row.count = std::max<std::int64_t>(1, what.bytes / static_cast<std::int64_t>(bytes_of(what.element)));
  row.element = what.element;
  row.operation = what.operation;
  row.algorithm_asked = what.algorithm;
  row.mode = what.mode;
  row.ranks = size_of(ours);
  set_settings(ours, {{"codec", what.codec}, {"algorithm", what.algorithm}});
  row.plan = plan_of(ours, row.count, mpi_type_of(what.element), mpi_op_of(what.operation), on_device);
  if (what.codec != "auto" && row.plan.codec != what.codec) return std::nullopt;
  return row;
}

std::optional<Row> Runner::run(const Case& what) {
  load(what.element);
  std::optional<Row> planned = plan_row(what, ours_.get());
  if (!planned) return planned;
  Row& row = *planned;
  const MPI_Datatype datatype = mpi_type_of(what.element);
  const MPI_Op op = mpi_op_of(what.operation);
  const auto bytes = static_cast<std::size_t>(row.bytes());
  const Rival rival(what.element, what.operation, options_.user_op);
  const auto call_ours = [&](const void* send) {
    check(qr_mpi_allreduce_c(send, output_.get(), row.count, datatype, op, ours_.get()),
          "qr_mpi_allreduce_c");
  };
  const auto call_rival = [&](const void* send) {
    rival.allreduce(send, output_.get(), row.count, rivals_.get());
  };
  std::vector<Contestant> contestants{contestant(call_ours, bytes)};
  const bool with_rival = options_.rival && row.count <= Rival::kLargestCount;
  if (with_rival) contestants.push_back(contestant(call_rival, bytes));
  const std::vector<Timing> timings = time_in_turn(contestants, options_.timing, rivals_.get());
  row.ours = timings.front();
  if (with_rival) row.rival = timings.back();

  if (options_.check) {
    // The check reads a call of its own, into a buffer that holds nothing right before it.
    std::memset(output_.get(), 0xa5, bytes);
    if (contestants.front().prepare) contestants.front().prepare();
    contestants.front().call();
    row.accuracy = check_result(output_.get(), row.count, what.element, what.operation,
                                codec_error_of(row.plan.codec), rivals_.get());
  }
  return planned;
}

}  // namespace qr::bench
