// Launches, waits and outcomes of the device back end. make_device_session() is the way in.
#include "lib/backends/hip/device_session.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "lib/backends/hip/kernel_loading.hpp"
#include "lib/backends/hip/launch.hpp"
#include "lib/backends/hip/shape.hpp"

namespace qr {

namespace {

constexpr int kQueriesBetweenProgress = 64;
constexpr hipStream_t kDefaultStream = nullptr;

bool captured(hipStream_t stream) {
  if (stream == kDefaultStream) return false;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  hip_check(hipStreamIsCapturing(stream, &status), "ask whether a stream is being captured");
  return status != hipStreamCaptureStatusNone;
}

}  // namespace

DeviceSession::DeviceSession(DeviceArenas arenas, DevicePlace place, Bootstrap& bootstrap,
                             std::int64_t timeout_ms)
    : place_(std::move(place)), arenas_(std::move(arenas)), bootstrap_(bootstrap), rank_(bootstrap.rank()) {
  const DeviceGuard guard(place_.device);
  load_kernels(place_.device);
  launches_early_ = knows_early_launch(place_.device);
  state_ = allocate_device(GpuState::bytes(arenas_.layout.blocks));
  outcome_ = allocate_pinned(sizeof(GpuOutcome), &outcome_address_);
  last_ = create_event();
  default_ = create_event();
  queue_ = create_stream();
  side_ = create_stream();
  timeout_ticks_ = static_cast<std::uint64_t>(timeout_ms) * 1000 * gpu_ticks_per_microsecond();
}

DeviceSession::~DeviceSession() {
  try {
    // Kernels on streams may still use what goes now. They end by themselves: every wait has a deadline.
    const DeviceGuard guard(place_.device);
    hip_ignore(hipEventSynchronize(last_.get()));
    arenas_.mappings.clear();
    arenas_ = {};
    state_ = {};
    outcome_ = {};
    last_ = {};
    default_ = {};
    queue_ = {};
    side_ = {};
  } catch (const Error&) {
    // The device is gone, and all of it with it.
  }
}

std::string DeviceSession::describe() const {
  return "device memory of " + place_.bus_id + ", " + std::to_string(layout().blocks) + " blocks, " +
         std::to_string((layout().total_bytes() + flagged_bytes(layout())) >> 10) + " KiB a rank" +
         (place_.sharers > 1 ? ", shared by " + std::to_string(place_.sharers) + " ranks" : std::string());
}

GpuCall DeviceSession::call_of(const Work& work) const {
  GpuCall call{};
  call.send = work.send;
  call.recv = work.recv;
  call.count = work.request.count;
  for (std::size_t rank = 0; rank < arenas_.base.size(); ++rank) call.base[rank] = arenas_.base[rank];
  call.regions_offset = static_cast<std::uint32_t>(layout().regions_offset());
  call.region_bytes = static_cast<std::uint32_t>(layout().region_bytes);
  call.flagged_offset = static_cast<std::uint32_t>(layout().total_bytes());
  call.world = layout().world;
  call.rank = rank_;
  call.check = work.record.check;
  call.timeout_ticks = timeout_ticks_;
  call.state = static_cast<GpuState*>(state_.get());
  call.outcome = static_cast<GpuOutcome*>(outcome_address_);
  call.record = work.record;
  return call;
}

void DeviceSession::launch(const GpuKernel& kernel, GpuCall& call, int blocks, hipStream_t stream) {
  launch_kernel(kernel.function, blocks, kernel.threads, &call, stream, launches_early_);
}

/// Where ranks share a device, more blocks than a rank's part of it holds could keep out those of the peers
/// that they wait for. Flagged kernels are all of one size.
int DeviceSession::flagged_blocks() const {
  const GpuKernels* any = gpu_kernels(0, DataType::kFloat32, ReduceOp::kSum);
  return std::min(qr::flagged_blocks(layout()), place_.multiprocessors * any->flagged.blocks_each);
}

void DeviceSession::launch_work(const Work& work, hipStream_t stream) {
  const GpuKernels* kernels = gpu_kernels(work.plan.codec, work.request.type, work.request.op);
  if (kernels == nullptr) throw Error(Status::kInternal, "no GPU kernel for this call");
  const bool divided = work.plan.algorithm == Algorithm::kTwoShot;
  if (work.plan.flagged && work.request.count > 0) {
    GpuCall call = call_of(work);
    call.shape = gpu_flagged_shape(kernels->flagged, flagged_blocks(), call.count);
    // All ranks see the same plan, layout and share of a device, and throw together.
    if (divided || call.shape.blocks == 0)
      throw Error(Status::kInternal,
                  "the plan is a flagged exchange of more values than the arenas have room for");
    launch(kernels->flagged, call, call.shape.blocks, stream);
    return;
  }
  const GpuKernel& kernel = divided ? kernels->two_shot : kernels->exchange;
  GpuCall call = call_of(work);
  call.packets = gpu_packets(kernel, call.count);
  call.shape = gpu_shape(kernel, layout(), place_.multiprocessors, divided, call.count);
  if (call.shape.blocks > 0) launch(kernel, call, call.shape.blocks, stream);
}

void DeviceSession::follow(hipStream_t stream) {
  // Two calls of one communicator at a time would wait for each other's peers.
  hip_check(hipStreamWaitEvent(stream, last_.get(), 0), "order a stream behind another");
}

hipStream_t DeviceSession::enter() {
  hip_check(hipEventRecord(default_.get(), kDefaultStream), "record an event");
  hip_check(hipStreamWaitEvent(queue_.get(), default_.get(), 0), "order a stream behind another");
  follow(queue_.get());
  return queue_.get();
}

Outcome DeviceSession::run(const Work& work) {
  const DeviceGuard guard(place_.device);
  if (const Outcome earlier = read_outcome(); earlier.verdict != Verdict::kOk) return earlier;
  launch_work(work, enter());
  Outcome outcome = finish();
  if (outcome.verdict == Verdict::kMismatch) recover(outcome);
  return outcome;
}

Outcome DeviceSession::run_on_stream(const Work& work, void* stream) {
  const DeviceGuard guard(place_.device);
  if (const Outcome earlier = read_outcome(); earlier.verdict != Verdict::kOk) return earlier;
  const auto queue = static_cast<hipStream_t>(stream);
  if (captured(queue)) {
    launch_work(work, queue);
    return {.captured = true};
  }
  follow(queue);
  launch_work(work, queue);
  hip_check(hipEventRecord(last_.get(), queue), "record an event");
  return {};
}

Outcome DeviceSession::handshake(const Work& work) {
  const DeviceGuard guard(place_.device);
  if (const Outcome earlier = read_outcome(); earlier.verdict != Verdict::kOk) return earlier;
  GpuCall call = call_of(work);
  launch(gpu_handshake_kernel(), call, 1, enter());
  Outcome outcome = finish();
  if (outcome.verdict == Verdict::kMismatch) recover(outcome);
  return outcome;
}

Outcome DeviceSession::finish() {
  hip_check(hipEventRecord(last_.get(), queue_.get()), "record an event");
  for (int queries = 1;; ++queries) {
    const hipError_t error = hipEventQuery(last_.get());
    if (error == hipSuccess) break;
    if (error != hipErrorNotReady) hip_check(error, "wait for a kernel");
    // Some runtimes keep that as an error; the application's own stays.
    if (hipPeekAtLastError() == hipErrorNotReady) (void)hipGetLastError();
    // A peer may be stuck in an MPI call that only our progress can complete.
    if (queries % kQueriesBetweenProgress == 0) bootstrap_.progress();
  }
  return read_outcome();
}

Outcome DeviceSession::read_outcome() const {
  auto* outcome = static_cast<GpuOutcome*>(outcome_.get());
  // Pairs with the fence in GpuSignals::report(): the rest was written before.
  const std::uint32_t verdict =
      std::atomic_ref<std::uint32_t>(outcome->verdict).load(std::memory_order_acquire);
  Outcome result;
  result.verdict = static_cast<Verdict>(verdict);
  if (result.verdict == Verdict::kOk) return result;
  result.peer = outcome->peer;
  result.about = outcome->about;
  result.expected = outcome->expected;
  result.seen = outcome->seen;
  result.theirs = outcome->theirs;
  return result;
}

void DeviceSession::recover(Outcome& outcome) {
  static_cast<GpuOutcome*>(outcome_.get())->verdict = 0;
  GpuCall call = call_of({});
  call.shape.blocks = layout().blocks;
  launch(gpu_recovery_kernel(), call, 1, queue_.get());
  if (const Outcome meeting = finish(); meeting.verdict != Verdict::kOk) outcome = meeting;
}

void DeviceSession::abort(Verdict reason, int about) {
  const AbortNote note{static_cast<std::uint32_t>(reason), rank_, about};
  const std::uint64_t word = note.word();
  const DeviceGuard guard(place_.device);
  for (std::byte* arena : arenas_.base) {
    // Read in GpuSignals::poll_long().
    hip_ignore(hipMemcpyAsync(arena + offsetof(ArenaHeader, abort_word), &word, sizeof word,
                              hipMemcpyHostToDevice, side_.get()));
  }
  hip_ignore(hipStreamSynchronize(side_.get()));
}

SessionResult make_device_session(Bootstrap& bootstrap, const Settings& settings) {
  SessionResult result;
  DevicePlace place;
  result.why = find_places(bootstrap, static_cast<int>(settings.device_share), place);
  if (!result.why.ok()) return result;
  DeviceArenas arenas;
  result.why = make_device_arenas(bootstrap, place, arenas);
  if (!result.why.ok()) return result;
  std::unique_ptr<Session> session;
  Vote vote;
  try {
    session = std::make_unique<DeviceSession>(std::move(arenas), place, bootstrap, settings.timeout_ms);
  } catch (const Error& error) {
    vote = {error.status(), "rank " + std::to_string(bootstrap.rank()) + ": " + error.what()};
  }
  result.why = agree(bootstrap, vote);
  if (result.why.ok()) result.session = std::move(session);
  return result;
}

}  // namespace qr
