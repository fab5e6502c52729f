// The roads of device memory. Which one is taken depends on nothing local, so all ranks take the same.
#include "mpi_bindings/device_call.hpp"

#include <algorithm>
#include <string>

#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/mpi_types.hpp"

namespace qr::mpi {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{32} << 20;

void require_status(Status status, const std::string& text) {
  if (status != Status::kSuccess) throw Error(status, text);
}

[[noreturn]] void refuse_capture(const std::string& why) {
  throw Error(Status::kArgument,
              "qr_mpi_allreduce_on_stream: this call cannot be captured into a graph, because " + why);
}

/// True when the device arenas did it.
bool reduce_in_arenas(Communicator& communicator, const Call& call, const void* send, void* recv,
                      const Queue& queue) {
  if (call.element_bytes == 0 || !reduce_op(call.op)) return false;
  if (communicator.settings().algorithm == AlgorithmChoice::kMpi) return false;
  if (queue.given && communicator.device_session() == nullptr && is_captured(queue.stream)) {
    refuse_capture("it is the first one on device memory, which sets up, or has to go through host memory");
  }
  std::string text;
  require_status(communicator.prepare_device(call.request, text), text);
  if (communicator.device_session() == nullptr) return false;
  const Plan plan = communicator.device_plan(call.request);
  if (plan.algorithm == Algorithm::kMpi) return false;
  const Status status = queue.given
                            ? communicator.queue_allreduce(send, recv, call.request, plan, queue.stream, text)
                            : communicator.device_allreduce(send, recv, call.request, plan, text);
  require_status(status, text);
  return true;
}

/// Through host memory, by pieces where elements stand alone.
void reduce_staged(Staging& staging, const Call& call, const void* sendbuf, void* recvbuf, void* stream,
                   const HostCall& on_host) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  MPI_Aint lower = 0;
  MPI_Aint span = static_cast<MPI_Aint>(call.element_bytes);  // of one element
  MPI_Aint extent = span;
  if (call.element_bytes == 0) {
    MPI_Aint unused = 0;
    require_success(MPI_Type_get_extent(call.datatype, &unused, &extent), "MPI_Type_get_extent");
    require_success(MPI_Type_get_true_extent(call.datatype, &lower, &span), "MPI_Type_get_true_extent");
  }
  const MPI_Count most =
      call.element_bytes == 0 ? call.count : static_cast<MPI_Count>(kPieceBytes / call.element_bytes);
  for (MPI_Count done = 0; done < call.count; done += most) {
    const MPI_Count count = std::min(most, call.count - done);
    const MPI_Aint start = static_cast<MPI_Aint>(done) * extent + lower;
    const auto bytes = static_cast<std::size_t>(static_cast<MPI_Aint>(count - 1) * extent + span);
    std::byte* const host_recv = staging.reserve(in_place ? bytes : 2 * bytes);
    std::byte* const host_send = host_recv + bytes;
    std::byte* const device_recv = static_cast<std::byte*>(recvbuf) + start;
    // The result keeps what lies between the elements of a derived datatype.
    if (in_place || call.element_bytes == 0) Staging::fetch(host_recv, device_recv, bytes, stream);
    if (!in_place) Staging::fetch(host_send, static_cast<const std::byte*>(sendbuf) + start, bytes, stream);
    on_host(in_place ? MPI_IN_PLACE : host_send - lower, host_recv - lower, count);
    Staging::deliver(device_recv, host_recv, bytes, stream);
  }
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
  reduce_staged(state.staging, call, sendbuf, recvbuf, queue.stream, on_host);
}

}  // namespace qr::mpi
