// Look-up, creation and deletion of the state of a communicator.
#include "mpi_bindings/comm_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "lib/log.hpp"
#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/gpu_aware.hpp"
#include "mpi_bindings/lifetime.hpp"
#include "mpi_bindings/mpi_exchange.hpp"

namespace qr::mpi {

namespace {

int state_key = MPI_KEYVAL_INVALID;

/// All states, oldest first. Never destroyed: exit handlers must not free what belongs to MPI_Finalize, least
/// of all in a forked child.
struct Registry {
  std::mutex mutex;
  std::vector<CommState*> states;
};
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

// Changes whenever a state is deleted, so that a remembered look-up dies with it: MPI uses handles again. 0:
// nothing may be remembered (MPI_Finalize has begun, or this is a forked child).
constinit std::atomic<std::uint64_t> generation{1};

struct Remembered {
  MPI_Comm comm;
  std::uint64_t generation;
  CommState* state;
};
constinit thread_local Remembered remembered{MPI_Comm{}, 0, nullptr};

int on_delete(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  if (is_forked_child()) return MPI_SUCCESS;
  auto* const state = static_cast<CommState*>(value);
  {
    Registry& all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::erase(all.states, state);
    if (generation.load(std::memory_order_relaxed) != 0) generation.fetch_add(1, std::memory_order_release);
  }
  delete state;
  return MPI_SUCCESS;
}

/// The environment's settings; a variable that cannot be read on one rank is an error on all.
Settings agreed_environment(Bootstrap& bootstrap) {
  Settings settings;
  Vote vote;
  try {
    settings = settings_from_environment([](const char* name) -> const char* { return std::getenv(name); });
  } catch (const Error& error) {
    vote = {error.status(), error.what()};
  }
  require_agreement(agree(bootstrap, vote), bootstrap.rank());
  for (const std::string& variable : unknown_variables(environ)) {
    if (bootstrap.rank() != 0) break;
    log_once(settings.log, LogLevel::kWarning, 0,
             "environment variable " + variable + " is unknown and has no effect");
  }
  return settings;
}

/// Collective.
CommState* create_state(MPI_Comm comm) {
  auto bootstrap = std::make_unique<MpiExchange>(comm);
  auto state = std::make_unique<CommState>();
  state->bootstrap = bootstrap.get();
  const Settings settings = agreed_environment(*bootstrap);
  state->communicator = std::make_unique<Communicator>(std::move(bootstrap), settings);
  state->mpi_knows_devices = all_mpis_know_devices(*state->bootstrap);
  {
    Registry& all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.states.push_back(state.get());
  }
  const int code = MPI_Comm_set_attr(comm, state_key, state.get());
  if (code != MPI_SUCCESS) {
    Registry& all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::erase(all.states, state.get());
  }
  require_success(code, "MPI_Comm_set_attr");
  return state.release();
}

}  // namespace

CommState* state_of(MPI_Comm comm) {
  // Acquire pairs with the release in on_delete: whoever reuses a handle also sees the new generation.
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (remembered.comm == comm && remembered.generation == now && now != 0) [[likely]]
    return remembered.state;
  require_mpi();
  forget_sentence();
  if (comm == MPI_COMM_NULL) throw Error(Status::kArgument, "qr_mpi: the communicator is MPI_COMM_NULL");

  void* value = nullptr;
  int found = 0;
  require_success(MPI_Comm_get_attr(comm, state_key, &value, &found), "MPI_Comm_get_attr");
  auto* state = static_cast<CommState*>(value);
  if (found == 0) {
    int inter = 0;
    require_success(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    if (inter != 0) return nullptr;
    state = create_state(comm);
  }
  remembered = {comm, now, state};
  return state;
}

void require_agreement(const Agreement& agreement, int rank) {
  if (agreement.ok()) return;
  const std::string where = agreement.rank == rank ? "" : "rank " + std::to_string(agreement.rank) + ": ";
  throw Error(agreement.status, where + agreement.text);
}

void create_state_key() {
  if (state_key != MPI_KEYVAL_INVALID) return;
  // Not copied by MPI_Comm_dup: the copy is a communicator of its own.
  require_success(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &state_key, nullptr),
                  "MPI_Comm_create_keyval");
}

void free_state_key() noexcept { static_cast<void>(MPI_Comm_free_keyval(&state_key)); }

void close_all_states() noexcept {
  generation.store(0, std::memory_order_release);
  // No lock: MPI_Finalize allows no other MPI call at the same time. Youngest first, on all ranks alike.
  std::vector<CommState*>& states = registry().states;
  std::for_each(states.rbegin(), states.rend(), [](CommState* state) {
    state->communicator.reset();
    state->staging.release();
  });
}

void forget_all_states() noexcept { generation.store(0, std::memory_order_relaxed); }

}  // namespace qr::mpi
