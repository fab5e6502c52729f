// One row on device memory: set, plan, time in turn with NCCL, check.
#include "device_runner.hpp"

#include <algorithm>

#include "graph_contestant.hpp"
#include "inputs.hpp"
#include "wire.hpp"

namespace qr::bench {
namespace {

constexpr int kCalls = 20;  // on a stream or in a graph, between two events

}  // namespace

DeviceRunner::DeviceRunner(const BenchOptions& options)
    : options_(options),
      ours_(MPI_COMM_WORLD),
      rivals_(MPI_COMM_WORLD),
      device_(choose_device(MPI_COMM_WORLD)),
      rival_(rivals_.get()),
      buffer_bytes_(std::max<std::size_t>(static_cast<std::size_t>(options.max_bytes), sizeof(double))),
      inputs_(allocate_device(buffer_bytes_)),
      output_(allocate_device(buffer_bytes_)),
      host_(std::make_unique<unsigned char[]>(buffer_bytes_)) {
  facts_.device = device_.name;
  facts_.runtime = device_.runtime;
  facts_.devices = device_.devices;
  facts_.most_sharers = device_.most_sharers;
  facts_.mpi_gpu_aware = rival_.gpu_aware();
  facts_.nccl_kind = nccl_name();
  facts_.nccl_settings = nccl_settings();
  if (options.nccl) {
    nccl_ = std::make_unique<Nccl>(options.nccl_library, device_, rivals_.get());
    facts_.nccl = nccl_->there() ? nccl_->name() : "";
    facts_.nccl_absent = nccl_->absent();
  } else {
    facts_.nccl_absent = "--no-nccl";
  }
  PeerRate rate{.absent = "--no-copies"};
  if (options.copies) rate = measure_peer_rate(device_, timer_, rivals_.get());
  facts_.peer_gb_per_s = rate.gb_per_s;
  facts_.peer_sent_bytes = rate.sent_bytes;
  facts_.peer_absent = rate.absent;
  probe();
}

/// The first call sets up; then a capture tells whether the kernels serve, for what goes through host memory
/// refuses to be captured.
void DeviceRunner::probe() {
  Row row;
  row.count = 1;
  const Call call = queued_call(row);
  call(inputs_.get());
  timer_.wait();
  std::string complaint;
  try {
    const CallGraph graph(
        timer_.stream(), [&] { call(inputs_.get()); }, 1);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  facts_.no_kernels = first_complaint(complaint, rivals_.get());
}

void DeviceRunner::load(Element element) {
  if (loaded_ == element) return;
  const std::size_t count = buffer_bytes_ / bytes_of(element);
  fill_inputs(host_.get(), static_cast<std::int64_t>(count), element, rank_of(ours_.get()));
  hip_check(hipMemcpy(inputs_.get(), host_.get(), count * bytes_of(element), hipMemcpyHostToDevice),
            "fill a buffer");
  hip_check(hipDeviceSynchronize(), "fill a buffer");
  loaded_ = element;
}

void DeviceRunner::restore(std::size_t bytes) const {
  hip_check(hipMemcpyAsync(output_.get(), inputs_.get(), bytes, hipMemcpyDeviceToDevice, timer_.stream()),
            "restore inputs");
  timer_.wait();
}

DeviceRunner::Call DeviceRunner::queued_call(const Row& row) const {
  return [this, count = row.count, element = row.element, operation = row.operation](const void* send) {
    check(qr_mpi_allreduce_on_stream(send, output_.get(), count, mpi_type_of(element), mpi_op_of(operation),
                                     ours_.get(), timer_.stream()),
          "qr_mpi_allreduce_on_stream");
  };
}

DeviceRunner::Call DeviceRunner::blocking_call(const Row& row) const {
  return [this, count = row.count, element = row.element, operation = row.operation](const void* send) {
    check(qr_mpi_allreduce_c(send, output_.get(), count, mpi_type_of(element), mpi_op_of(operation),
                             ours_.get()),
          "qr_mpi_allreduce_c");
  };
}

/// In blocking mode it waits for the stream, as a program does that needs the result on the host.
DeviceRunner::Call DeviceRunner::nccl_call(const Row& row) const {
  return [this, count = row.count, element = row.element, operation = row.operation,
          waits = row.mode == Mode::kBlocking](const void* send) {
    nccl_->allreduce(send == MPI_IN_PLACE ? output_.get() : send, output_.get(), count, element, operation,
                     timer_.stream());
    if (waits) timer_.wait();
  };
}

Contestant DeviceRunner::contestant(Mode mode, const Call& call, std::size_t bytes) const {
  Contestant who;
  const void* const send = options_.in_place ? MPI_IN_PLACE : inputs_.get();
  who.call = [call, send] { call(send); };
  if (options_.in_place) who.prepare = [this, bytes] { restore(bytes); };
  if (mode == Mode::kBlocking) return who;

  // The call before the first event brings the ranks together. In place, the calls of a sample feed on each
  // other's results: their times do not depend on values.
  who.batch = options_.timing.batch > 0 ? options_.timing.batch : kCalls;
  if (mode == Mode::kEager) {
    who.clock = [this, queue = who.call](int calls) {
      return timer_.time(queue, [&] {
        for (int done = 0; done < calls; ++done) queue();
      });
    };
    return who;
  }
  return graph_contestant(timer_, who);
}

/// Once a size: it is the same call in all modes and for all codecs, and slow where it is staged.
Timing DeviceRunner::time_mpi(const Row& row) {
  const auto key = std::tuple(row.count, row.element, row.operation);
  if (const auto found = mpi_timings_.find(key); found != mpi_timings_.end()) return found->second;
  const Rival rival(row.element, row.operation, options_.user_op);
  const Call call = [&](const void* send) {
    rival_.allreduce(rival, send, output_.get(), row.count, row.element, rivals_.get(), timer_.stream());
  };
  const auto bytes = static_cast<std::size_t>(row.bytes());
  return mpi_timings_[key] =
             time_in_turn({contestant(Mode::kBlocking, call, bytes)}, options_.timing, rivals_.get()).front();
}

/// A call of its own, of the row's mode, into a buffer that holds nothing right before it.
Accuracy DeviceRunner::check_row(const Row& row) {
  const auto bytes = static_cast<std::size_t>(row.bytes());
  const Call call = row.mode == Mode::kBlocking ? blocking_call(row) : queued_call(row);
  const void* const send = options_.in_place ? MPI_IN_PLACE : inputs_.get();
  const auto clear = [&] {
    hip_check(hipMemsetAsync(output_.get(), 0xa5, bytes, timer_.stream()), "clear a buffer");
    if (options_.in_place) restore(bytes);
    timer_.wait();
  };
  if (row.mode == Mode::kGraph) {
    const CallGraph graph(
        timer_.stream(), [&] { call(send); }, 1);
    // The second replay is the one that is checked.
    for (int replay = 0; replay < 2; ++replay) {
      clear();
      graph.launch();
      timer_.wait();
    }
  } else {
    clear();
    call(send);
  }
  timer_.wait();
  hip_check(hipMemcpy(host_.get(), output_.get(), bytes, hipMemcpyDeviceToHost), "read a result");
  return check_result(host_.get(), row.count, row.element, row.operation, codec_error_of(row.plan.codec),
                      rivals_.get());
}

std::optional<Row> DeviceRunner::run(const Case& what) {
  load(what.element);
  std::optional<Row> planned = plan_row(what, ours_.get(), true);
  if (!planned) return planned;
  Row& row = *planned;
  const bool in_kernels = facts_.no_kernels.empty() && row.plan.algorithm != "mpi";
  if (row.mode == Mode::kGraph && !in_kernels && row.ranks > 1) return std::nullopt;

  const auto bytes = static_cast<std::size_t>(row.bytes());
  const Call ours = row.mode == Mode::kBlocking ? blocking_call(row) : queued_call(row);
  std::vector<Contestant> contestants{contestant(row.mode, ours, bytes)};
  const bool with_nccl = nccl_ && nccl_->there();
  if (with_nccl) contestants.push_back(contestant(row.mode, nccl_call(row), bytes));
  const std::vector<Timing> timings = time_in_turn(contestants, options_.timing, rivals_.get());
  row.ours = timings.front();
  if (with_nccl) row.nccl = timings.back();
  if (options_.rival && row.count <= Rival::kLargestCount) {
    row.rival = time_mpi(row);
    row.mpi_staged = rival_.staged(row.element);
  }
  if (in_kernels) row.wire_bytes = wire_bytes(row.plan, row.count, row.element, row.ranks);
  if (row.wire_bytes && facts_.peer_gb_per_s > 0) {
    row.peer_share = row.wire_gb_per_s() / facts_.peer_gb_per_s;
  }
  if (options_.check) row.accuracy = check_row(row);
  return planned;
}

}  // namespace qr::bench
