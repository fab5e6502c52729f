// Chooses the road of a call from count, datatype, op and what all ranks know of the communicator.
#include "mpi_bindings/call.hpp"

#include <limits>
#include <string>

#include "kernels/packet_ops.hpp"
#include "mpi_bindings/mpi_types.hpp"
#include "mpi_bindings/probe.hpp"

namespace qr::mpi {

namespace {

void require_arguments(MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  if (count < 0) throw Error(Status::kArgument, "qr_mpi_allreduce: count is " + std::to_string(count));
  if (datatype == MPI_DATATYPE_NULL)
    throw Error(Status::kArgument, "qr_mpi_allreduce: the datatype is MPI_DATATYPE_NULL");
  if (op == MPI_OP_NULL) throw Error(Status::kArgument, "qr_mpi_allreduce: the op is MPI_OP_NULL");
}

bool is_16_bit(DataType type) { return element_bytes(type) == 2; }

void choose_road(Call& call, const Communicator* communicator, std::optional<DataType> type,
                 std::optional<ReduceOp> op) {
  // Whether the datatype has the op at all is MPI's to say, elements or none.
  if (!type || !op) {
    call.plan.reason = "datatype or op outside the library's own path";
    return;
  }
  if (call.count == 0 && communicator != nullptr) {
    call.road = Road::kNothing;
    call.plan.reason = "there are no elements";
    return;
  }
  if (communicator == nullptr) {
    call.road = is_16_bit(*type) ? Road::kWidened : Road::kMpi;
    call.plan.reason = "an intercommunicator";
    return;
  }
  call.plan = communicator->plan(call.request);
  if (communicator->size() == 1) {
    call.road = Road::kCopy;
  } else if (call.plan.algorithm != Algorithm::kMpi) {
    call.road = Road::kShared;
  } else if (is_16_bit(*type)) {
    call.road = Road::kWidened;
  }
}

const char* name_of(Road road) {
  switch (road) {
    case Road::kNothing:
      return "nothing to do";
    case Road::kCopy:
      return "copy";
    case Road::kShared:
      return "shared";
    case Road::kWidened:
      return "mpi in fp32";
    case Road::kMpi:
      return "mpi";
  }
  return "?";
}

}  // namespace

Call decide(const Communicator* communicator, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  require_arguments(count, datatype, op);
  Call call;
  call.count = count;
  call.datatype = datatype;
  call.op = op;

  const std::optional<DataType> type = element_type(datatype);
  const std::optional<ReduceOp> operation = reduce_op(op);
  if (type) {
    call.element_bytes = element_bytes(*type);
    if (count > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(call.element_bytes)) {
      throw Error(Status::kArgument,
                  "qr_mpi_allreduce: no buffer holds " + std::to_string(count) + " elements");
    }
    call.request = {.count = count, .type = *type, .op = operation.value_or(ReduceOp::kSum)};
  }
  choose_road(call, communicator, type, operation);
  if (communicator == nullptr) return call;
  if (!type || !operation) require_op_of(datatype, op);
  call.lasting = type || is_named(datatype);

  const Settings& settings = communicator->settings();
  call.log = settings.log >= 3;
  call.handshake = call.road != Road::kShared && settings.check && communicator->session() != nullptr;
  if (call.handshake) call.signature = signature_of(count, datatype, op);
  return call;
}

Call part_of(const Call& call, MPI_Count count) {
  Call part = call;
  if (count == call.count) return part;
  part.count = count;
  part.request.count = count;
  if (part.handshake) part.signature = signature_of(count, call.datatype, call.op);
  return part;
}

std::string describe(const Call& call) {
  std::string text = "allreduce of " + std::to_string(call.count) + " elements";
  if (call.element_bytes != 0) text += std::string(" of ") + qr::name_of(call.request.type);
  if (reduce_op(call.op)) text += std::string(", ") + qr::name_of(*reduce_op(call.op));
  text += ": ";
  if (call.road == Road::kShared) {
    text += std::string(qr::name_of(call.plan.algorithm)) + ", codec " + codec_info(call.plan.codec).name;
  } else {
    text += name_of(call.road);
  }
  return text + " (" + call.plan.reason + ")";
}

}  // namespace qr::mpi
