// Start on the first call, clean-up in MPI_Finalize through an attribute of MPI_COMM_SELF, and a watch for
// fork().
#include "mpi_bindings/lifetime.hpp"

#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <mutex>

#include "mpi_bindings/comm_cache.hpp"
#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/mpi_types.hpp"
#include "mpi_bindings/probe.hpp"

namespace qr::mpi {

namespace {

enum class Phase { kUnused, kReady, kFinalized, kForked };

// Release when set to kReady, acquire when read: publishes what start() made.
constinit std::atomic<Phase> phase{Phase::kUnused};
constinit std::mutex start_mutex;
int finalize_key = MPI_KEYVAL_INVALID;

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else of MPI goes (MPI 3.1,
/// section 8.7.1), so MPI can still be called here. It does not promise to delete those of MPI_COMM_WORLD.
int on_finalize(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*extra*/) {
  if (is_forked_child()) return MPI_SUCCESS;
  phase.store(Phase::kFinalized, std::memory_order_release);
  close_all_states();
  free_types();
  free_probe();
  free_state_key();
  return MPI_Comm_free_keyval(&finalize_key);
}

void start() {
  create_error_codes();
  create_types();
  create_probe();
  create_state_key();
  require_success(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key, nullptr),
                  "MPI_Comm_create_keyval");
  // Any value will do: only its deletion counts.
  require_success(MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, &finalize_key), "MPI_Comm_set_attr");
}

bool asks(int (*question)(int*)) {
  int answer = 0;
  return question(&answer) == MPI_SUCCESS && answer != 0;
}

void after_fork_in_child() {
  const Phase before = phase.load(std::memory_order_relaxed);
  const bool in_use =
      before == Phase::kReady || (before == Phase::kUnused && asks(MPI_Initialized) && !asks(MPI_Finalized));
  if (!in_use) return;  // a child that is forked before MPI_Init may call MPI_Init itself
  phase.store(Phase::kForked, std::memory_order_relaxed);
  forget_all_states();
}

// A handler and not a comparison of process ids, which would cost a system call in every all-reduce.
// Registered when the library is loaded, so that a child is known even if it makes the first call.
[[gnu::constructor]] void watch_fork() {
  // Without memory for the handler there is only no watch.
  static_cast<void>(pthread_atfork(nullptr, nullptr, after_fork_in_child));
}

[[noreturn]] void refuse_after_finalize() {
  throw NoMpi(MPI_ERR_OTHER, "qr_mpi was called after MPI_Finalize");
}

}  // namespace

bool is_forked_child() noexcept { return phase.load(std::memory_order_relaxed) == Phase::kForked; }

void require_mpi() {
  switch (phase.load(std::memory_order_acquire)) {
    case Phase::kReady:
      return;
    case Phase::kFinalized:
      refuse_after_finalize();
    case Phase::kForked:
      throw NoMpi(error_code_of(Status::kBroken),
                  "qr_mpi was called in a child process that was forked after MPI_Init; communicators belong "
                  "to the parent");
    case Phase::kUnused:
      break;
  }
  if (!asks(MPI_Initialized)) throw NoMpi(MPI_ERR_OTHER, "qr_mpi was called before MPI_Init");
  if (asks(MPI_Finalized)) refuse_after_finalize();
  const std::lock_guard<std::mutex> lock(start_mutex);
  if (phase.load(std::memory_order_relaxed) == Phase::kReady) return;
  start();
  phase.store(Phase::kReady, std::memory_order_release);
}

}  // namespace qr::mpi
