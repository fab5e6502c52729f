// The roads of device memory. Which one is taken depends on nothing local, so all ranks take the same.
#include "mpi_bindings/device_call.hpp"

#include <algorithm>
#include <string>

#include "kernels/packet.hpp"
#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/mpi_types.hpp"
#include "mpi_bindings/signature.hpp"

namespace qr::mpi {

namespace {

// A piece is copied in about 50 us and reduced in a few hundred, of which what comes with every piece (a
// signal, two events) is a small part; four buffers of that size stay in the caches of one core's share.
constexpr std::size_t kPieceBytes = std::size_t{2} << 20;

void require_status(Status status, const std::string& text) {
  if (status != Status::kSuccess) throw Error(status, text);
}

[[noreturn]] void refuse_capture(const std::string& why) {
  throw Error(Status::kArgument,
              "qr_mpi_allreduce_on_stream: this call cannot be captured into a graph, because " + why);
}

/// False where the device arenas do not come into question, whatever they are.
bool suits_arenas(const Communicator& communicator, const Call& call) {
  return call.element_bytes != 0 && reduce_op(call.op) &&
         communicator.settings().algorithm != AlgorithmChoice::kMpi;
}

/// True when the device arenas did it.
bool reduce_in_arenas(Communicator& communicator, const Call& call, const void* send, void* recv,
                      const Queue& queue) {
  if (!suits_arenas(communicator, call)) return false;
  if (queue.given && communicator.device_session() == nullptr && is_captured(queue.stream)) {
    refuse_capture("it is the first one on device memory, which sets up, or has to go through host memory");
  }
  std::string text;
  require_status(communicator.prepare_device(call.request, text), text);
  if (communicator.device_session() == nullptr) return false;
  if (const int device = communicator.device_session()->device(); device != current_device()) {
    throw Error(Status::kBuffer, "the buffers are on device " + std::to_string(current_device()) +
                                     ", but the first ones on this communicator were on device " +
                                     std::to_string(device) + "; use another communicator");
  }
  const Plan plan = communicator.device_plan(call.request);
  if (plan.algorithm == Algorithm::kMpi) return false;
  const Status status = queue.given
                            ? communicator.queue_allreduce(send, recv, call.request, plan, queue.stream, text)
                            : communicator.device_allreduce(send, recv, call.request, plan, text);
  require_status(status, text);
  return true;
}

/// A call through Staging: whatever ends it, no copy is left behind that touches the user's memory unordered.
class StagedCall {
 public:
  StagedCall(Staging& staging, std::size_t bytes, int lanes, const Queue& queue)
      : staging_(staging), waits_(!queue.given) {
    staging_.begin(bytes, lanes, queue.stream);
  }
  StagedCall(const StagedCall&) = delete;
  StagedCall& operator=(const StagedCall&) = delete;
  ~StagedCall() {
    if (!ended_) staging_.give_up();
  }
  void end() {
    staging_.end(waits_);
    ended_ = true;
  }

 private:
  Staging& staging_;
  bool waits_;
  bool ended_ = false;
};

/// Elements of a piece. Whole packets for every rank, so that a value gets the owner, and with it the bits,
/// that it has in a call on host memory.
MPI_Count piece_of(const Call& call, int world) {
  const std::int64_t unit = kPacketValues * static_cast<std::int64_t>(world);
  const auto values = static_cast<std::int64_t>(kPieceBytes / call.element_bytes);
  return std::max(values / unit, std::int64_t{1}) * unit;
}

/// Through host memory, by pieces: while one is reduced, the one before is delivered and the next is fetched.
void reduce_in_pieces(Staging& staging, const Call& call, const void* send, void* recv, MPI_Count piece,
                      const Queue& queue, const HostCall& on_host) {
  const std::size_t width = call.element_bytes;
  const MPI_Count pieces = (call.count + piece - 1) / piece;
  const auto values_of = [&](MPI_Count which) { return std::min(piece, call.count - which * piece); };
  const auto bytes_of = [&](MPI_Count which) { return static_cast<std::size_t>(values_of(which)) * width; };
  const auto offset_of = [&](MPI_Count which) { return static_cast<std::size_t>(which * piece) * width; };
  const auto lane_of = [](MPI_Count which) { return static_cast<int>(which % Staging::kLanes); };
  const auto fetch = [&](MPI_Count which) {
    const int lane = lane_of(which);
    staging.fetch(lane, staging.input(lane), static_cast<const std::byte*>(send) + offset_of(which),
                  bytes_of(which));
  };
  StagedCall staged(staging, bytes_of(0), pieces > 1 ? Staging::kLanes : 1, queue);
  fetch(0);
  for (MPI_Count which = 0; which < pieces; ++which) {
    const int lane = lane_of(which);
    // The lane's last input was reduced one step ago.
    if (which + 1 < pieces) fetch(which + 1);
    staging.wait_for_lane(lane);
    on_host(staging.input(lane), staging.output(lane), values_of(which));
    staging.deliver(lane, static_cast<std::byte*>(recv) + offset_of(which), bytes_of(which));
  }
  staged.end();
}

/// The same in one piece, for datatypes whose elements do not simply follow each other.
void reduce_whole(Staging& staging, const Call& call, const void* sendbuf, void* recvbuf, const Queue& queue,
                  const HostCall& on_host) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  MPI_Count unused = 0;
  MPI_Count extent = 0;
  MPI_Count lower = 0;
  MPI_Count span = 0;  // of one element
  require_success(MPI_Type_get_extent_x(call.datatype, &unused, &extent), "MPI_Type_get_extent_x");
  require_success(MPI_Type_get_true_extent_x(call.datatype, &lower, &span), "MPI_Type_get_true_extent_x");
  if (extent < 0) throw Error(Status::kBuffer, "device memory and a datatype of negative extent");
  if (span == 0) return;
  const auto bytes = static_cast<std::size_t>((call.count - 1) * extent + span);
  StagedCall staged(staging, bytes, 1, queue);
  // The result keeps what lies between the elements.
  staging.fetch(0, staging.output(0), static_cast<std::byte*>(recvbuf) + lower, bytes);
  if (!in_place) staging.fetch(0, staging.input(0), static_cast<const std::byte*>(sendbuf) + lower, bytes);
  staging.wait_for_lane(0);
  on_host(in_place ? MPI_IN_PLACE : staging.input(0) - lower, staging.output(0) - lower, call.count);
  staging.deliver(0, static_cast<std::byte*>(recvbuf) + lower, bytes);
  staged.end();
}

void reduce_staged(Staging& staging, const Call& call, Communicator* communicator, const void* sendbuf,
                   void* recvbuf, const Queue& queue, const HostCall& on_host) {
  if (call.element_bytes == 0) return reduce_whole(staging, call, sendbuf, recvbuf, queue, on_host);
  // The groups of an intercommunicator may hold different kinds of memory, and only one of them pieces.
  const MPI_Count piece = communicator == nullptr ? call.count : piece_of(call, communicator->size());
  if (piece < call.count) {
    std::string text;
    require_status(communicator->check_pieces(call.request, call.plan, text), text);
  }
  const void* const send = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  reduce_in_pieces(staging, call, send, recvbuf, piece, queue, on_host);
}

/// True where MPI shall get the device pointers: it knows devices on all ranks, and would be called for host
/// memory too. Not for what needs the host to touch values: 16-bit floats, user ops, and datatypes of parts.
/// Between ranks that share host memory the library's own algorithms take their place: MPI reduces device
/// memory on the host as well, and would give other bits.
bool goes_direct(const CommState& state, const Call& call) {
  if (call.road != Road::kMpi) return false;
  const GpuAwareChoice choice = state.communicator->settings().gpu_aware;
  const bool knows =
      choice == GpuAwareChoice::kAuto ? state.mpi_knows_devices : choice == GpuAwareChoice::kYes;
  return knows && is_predefined(call.datatype, call.op);
}

}  // namespace

void reduce_on_device(CommState& state, const Call& call, const void* sendbuf, void* recvbuf,
                      const Queue& queue, const HostCall& on_host) {
  Communicator& communicator = *state.communicator;
  const void* const send = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  if (call.road == Road::kNothing) return;
  if (call.road == Road::kCopy) {
    if (send != recvbuf) {
      copy_on_device(recvbuf, send, static_cast<std::size_t>(call.count) * call.element_bytes, queue.stream);
    }
    return;
  }
  if (reduce_in_arenas(communicator, call, send, recvbuf, queue)) return;
  if (queue.given && is_captured(queue.stream)) refuse_capture("it goes through host memory");
  if (goes_direct(state, call)) {
    wait_for(queue.stream);
    return on_host(sendbuf, recvbuf, call.count);
  }
  reduce_staged(state.staging, call, &communicator, sendbuf, recvbuf, queue, on_host);
}

void reduce_between_groups(const Call& call, const void* sendbuf, void* recvbuf, const HostCall& on_host) {
  Staging staging;
  reduce_staged(staging, call, nullptr, sendbuf, recvbuf, {}, on_host);
}

Plan plan_on_device(CommState& state, const Call& call) {
  Communicator& communicator = *state.communicator;
  if (call.road == Road::kNothing || call.road == Road::kCopy || !suits_arenas(communicator, call))
    return call.plan;
  std::string text;
  require_status(communicator.prepare_device(call.request, text), text);
  if (communicator.device_session() == nullptr) return call.plan;
  const Plan plan = communicator.device_plan(call.request);
  return plan.algorithm == Algorithm::kMpi ? call.plan : plan;
}

}  // namespace qr::mpi
