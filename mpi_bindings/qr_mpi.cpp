// The C entry points: each finds the communicator's state, does what was decided for the call, and returns an
// MPI error code.
#include "qr_mpi/qr_mpi.h"

#include <cstring>
#include <string>

#include "kernels/packet_ops.hpp"
#include "lib/call_record.hpp"
#include "lib/log.hpp"
#include "mpi_bindings/buffers.hpp"
#include "mpi_bindings/call.hpp"
#include "mpi_bindings/comm_cache.hpp"
#include "mpi_bindings/comm_info.hpp"
#include "mpi_bindings/device_call.hpp"
#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/fallback.hpp"
#include "mpi_bindings/lifetime.hpp"
#include "mpi_bindings/mpi_types.hpp"

namespace {

using namespace qr;
using namespace qr::mpi;

void require_status(Status status, const std::string& text) {
  if (status != Status::kSuccess) [[unlikely]]
    throw Error(status, text);
}

void require_health(const Communicator& communicator) {
  require_status(communicator.health(), communicator.broken_text());
}

CallRecord record_of(const CallSignature& signature) {
  return record_of_fallback(signature.amount, signature.kind, signature.in_bytes);
}

/// Everything but the library's own algorithms.
void take_other_road(const Call& call, const void* sendbuf, void* recvbuf, MPI_Comm comm) {
  switch (call.road) {
    case Road::kNothing:
    case Road::kShared:
      return;
    case Road::kCopy:
      if (sendbuf != MPI_IN_PLACE)
        std::memcpy(recvbuf, sendbuf, static_cast<std::size_t>(call.count) * call.element_bytes);
      return;
    case Road::kWidened:
      forget_sentence();
      return reduce_widened(sendbuf, recvbuf, call.count, call.request.type, call.op, comm);
    case Road::kMpi:
      forget_sentence();
      return reduce_through_mpi(sendbuf, recvbuf, call.count, call.datatype, call.op, comm);
  }
}

/// Buffers in host memory, or such that MPI can reach; by the road that was decided.
void take_road(Communicator& communicator, const Call& call, const void* sendbuf, void* recvbuf,
               MPI_Comm comm) {
  std::string text;
  if (call.road == Road::kShared) {
    const void* const send = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    return require_status(communicator.allreduce(send, recvbuf, call.request, call.plan, text), text);
  }
  require_health(communicator);
  if (call.handshake) require_status(communicator.check_fallback(record_of(call.signature), text), text);
  take_other_road(call, sendbuf, recvbuf, comm);
}

bool in_device_memory(MPI_Count count, const void* sendbuf, const void* recvbuf) {
  return count != 0 && on_device(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, recvbuf);
}

[[noreturn]] void refuse_stream() {
  throw Error(Status::kBuffer, "qr_mpi_allreduce_on_stream: the buffers are host memory");
}

/// On an intercommunicator, which has no state.
void allreduce_between_groups(const Call& call, const void* sendbuf, void* recvbuf, MPI_Comm comm,
                              const Queue& queue) {
  require_buffers(call, sendbuf, recvbuf, true);
  if (in_device_memory(call.count, sendbuf, recvbuf)) {
    if (queue.given)
      throw Error(Status::kArgument, "qr_mpi_allreduce_on_stream: an intercommunicator has no stream order");
    return reduce_between_groups(call, sendbuf, recvbuf, [&](const void* from, void* to, MPI_Count) {
      take_other_road(call, from, to, comm);
    });
  }
  if (queue.given && call.count != 0) refuse_stream();
  take_other_road(call, sendbuf, recvbuf, comm);
}

/// Where `look` finds the arguments wrong, peers whose own are right must not wait for this rank.
template <class Look>
auto refusing(Communicator& communicator, const Look& look) {
  try {
    return look();
  } catch (const Error& error) {
    communicator.refuse_call(error.status());
    throw;
  } catch (...) {
    communicator.refuse_call(Status::kArgument);
    throw;
  }
}

void allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, const Queue& queue = {}) {
  // First of all, for it is collective the first time: a rank whose other arguments are wrong still takes
  // part in it.
  CommState* const state = state_of(comm);
  if (state == nullptr) {
    return allreduce_between_groups(decide(nullptr, count, datatype, op), sendbuf, recvbuf, comm, queue);
  }

  Communicator& communicator = *state->communicator;
  Call& call = state->call;
  const bool on_a_device = refusing(communicator, [&] {
    if (!call.is_for(count, datatype, op)) call = decide(&communicator, count, datatype, op);
    require_buffers(call, sendbuf, recvbuf, false);
    const bool device = in_device_memory(count, sendbuf, recvbuf);
    if (queue.given && count != 0 && !device) refuse_stream();
    return device;
  });
  if (call.log) [[unlikely]]
    log_line(communicator.settings().log, LogLevel::kCall, communicator.rank(), describe(call));

  if (on_a_device) {
    return reduce_on_device(*state, call, sendbuf, recvbuf, queue,
                            [&](const void* from, void* to, MPI_Count values) {
                              take_road(communicator, part_of(call, values), from, to, comm);
                            });
  }
  take_road(communicator, call, sendbuf, recvbuf, comm);
}

void set_info(MPI_Comm comm, MPI_Info info) {
  CommState* const state = state_of(comm);
  if (state == nullptr)
    throw Error(Status::kArgument, "qr_mpi_comm_set_info: an intercommunicator has no settings");
  std::string text;
  require_status(state->communicator->check_settings(text), text);
  Settings settings = state->communicator->settings();
  Vote vote;
  try {
    settings = settings_with(settings, info);
  } catch (const Error& error) {
    vote = {error.status(), error.what()};
  } catch (const std::exception& error) {
    vote = {Status::kArgument, error.what()};
  }
  require_agreement(agree(*state->bootstrap, vote), state->bootstrap->rank());
  state->call = {};
  state->communicator->change_settings(settings);
}

void get_info(MPI_Comm comm, MPI_Info* info_used) {
  CommState* const state = state_of(comm);
  if (state == nullptr)
    throw Error(Status::kArgument, "qr_mpi_comm_get_info: an intercommunicator has no settings");
  if (info_used == nullptr) throw Error(Status::kArgument, "qr_mpi_comm_get_info: info_used is NULL");
  *info_used = info_of(state->communicator->settings());
}

void store(const char** where, const char* what) {
  if (where != nullptr) *where = what;
}

/// MPI_DATATYPE_NULL where there is no MPI.
MPI_Datatype own_type(MPI_Datatype (*type)()) {
  try {
    require_mpi();
    return type();
  } catch (...) {
    static_cast<void>(describe_current_exception());
    return MPI_DATATYPE_NULL;
  }
}

bool is_codec(int index) { return index >= 0 && index < codec_count(); }

}  // namespace

extern "C" {

int qr_mpi_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm) {
  return guarded(comm, [&] { allreduce(sendbuf, recvbuf, count, datatype, op, comm); });
}

int qr_mpi_allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm) {
  return guarded(comm, [&] { allreduce(sendbuf, recvbuf, count, datatype, op, comm); });
}

int qr_mpi_allreduce_on_stream(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, void* stream) {
  return guarded(comm, [&] {
    allreduce(sendbuf, recvbuf, count, datatype, op, comm, Queue{.given = true, .stream = stream});
  });
}

int qr_mpi_comm_set_info(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, [&] { set_info(comm, info); });
}

int qr_mpi_comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return guarded(comm, [&] { get_info(comm, info_used); });
}

int qr_mpi_comm_plan(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op, const char** algorithm,
                     const char** codec, const char** reason) {
  return guarded(comm, [&] {
    const CommState* const state = state_of(comm);
    const Call call = decide(state == nullptr ? nullptr : state->communicator.get(), count, datatype, op);
    store(algorithm, name_of(call.plan.algorithm));
    store(codec, codec_info(call.plan.codec).name);
    store(reason, call.plan.reason);
  });
}

int qr_mpi_comm_plan_on_device(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                               const char** algorithm, const char** codec, const char** reason) {
  return guarded(comm, [&] {
    CommState* const state = state_of(comm);
    const Call call = decide(state == nullptr ? nullptr : state->communicator.get(), count, datatype, op);
    const Plan plan = state == nullptr ? call.plan : plan_on_device(*state, call);
    store(algorithm, name_of(plan.algorithm));
    store(codec, codec_info(plan.codec).name);
    store(reason, plan.reason);
  });
}

int qr_mpi_comm_prediction_on_device(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                     const char** form, double* us, const char** table) {
  return guarded(comm, [&] {
    CommState* const state = state_of(comm);
    const Call call = decide(state == nullptr ? nullptr : state->communicator.get(), count, datatype, op);
    const Plan plan = state == nullptr ? call.plan : plan_on_device(*state, call);
    const bool predicted = state != nullptr && plan.predicted_us > 0;
    store(form, !predicted ? "" : plan.flagged ? "flagged" : name_of(plan.algorithm));
    if (us != nullptr) *us = plan.predicted_us;
    store(table, predicted ? state->communicator->table_text().c_str() : "");
  });
}

MPI_Datatype qr_mpi_type_float16(void) { return own_type(float16_type); }
MPI_Datatype qr_mpi_type_bfloat16(void) { return own_type(bfloat16_type); }

int qr_mpi_codec_count(void) { return codec_count(); }
const char* qr_mpi_codec_name(int index) { return is_codec(index) ? codec_info(index).name : nullptr; }
double qr_mpi_codec_bits_per_value(int index) {
  return is_codec(index) ? codec_info(index).bits_per_value : 0.0;
}
double qr_mpi_codec_error(int index) { return is_codec(index) ? codec_info(index).error : 0.0; }

int qr_mpi_error_class(int error) {
  try {
    require_mpi();
    return error_class_of(error);
  } catch (...) {
    static_cast<void>(describe_current_exception());
    return MPI_ERR_UNKNOWN;
  }
}

const char* qr_mpi_last_error(void) { return last_error(); }

const char* qr_mpi_version(void) { return QR_MPI_VERSION; }

}  // extern "C"
