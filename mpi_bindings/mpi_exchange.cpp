// Makes the private communicator and speaks over it.
#include "mpi_bindings/mpi_exchange.hpp"

#include <cstring>
#include <limits>

#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

/// While it lives, errors on a communicator come back as codes instead of stopping the program.
class ReturnErrors {
 public:
  explicit ReturnErrors(MPI_Comm comm) : comm_(comm) {
    require_success(MPI_Comm_get_errhandler(comm_, &before_), "MPI_Comm_get_errhandler");
    require_success(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ReturnErrors(const ReturnErrors&) = delete;
  ReturnErrors& operator=(const ReturnErrors&) = delete;
  ~ReturnErrors() {
    // Local calls with a handle that MPI gave: they do not fail, and a destructor could not say so.
    static_cast<void>(MPI_Comm_set_errhandler(comm_, before_));
    static_cast<void>(MPI_Errhandler_free(&before_));
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// True on all ranks if `mine` is true on all of them.
bool all_ranks(bool mine, MPI_Comm comm) {
  int value = mine ? 1 : 0;
  require_own_success(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return value == 1;
}

/// A communicator of the same ranks, or MPI_COMM_NULL on all of them. Not MPI_Comm_dup, which would run the
/// copy callbacks of the user's attributes.
MPI_Comm make_private(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  require_own_success(MPI_Comm_group(comm, &group), "MPI_Comm_group");
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_create(comm, group, &made);
  require_own_success(MPI_Group_free(&group), "MPI_Group_free");
  const bool mine = code == MPI_SUCCESS && made != MPI_COMM_NULL;
  if (all_ranks(mine, comm)) {
    require_own_success(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
  }
  if (mine) require_own_success(MPI_Comm_free(&made), "MPI_Comm_free");
  return MPI_COMM_NULL;
}

bool all_on_one_node(MPI_Comm comm, int size) {
  MPI_Comm node = MPI_COMM_NULL;
  int node_size = 0;
  if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS &&
      node != MPI_COMM_NULL) {
    require_own_success(MPI_Comm_size(node, &node_size), "MPI_Comm_size");
    require_own_success(MPI_Comm_free(&node), "MPI_Comm_free");
  }
  return all_ranks(node_size == size, comm);
}

}  // namespace

MpiExchange::MpiExchange(MPI_Comm comm) {
  require_success(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  require_success(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  if (size_ == 1) return;
  const ReturnErrors scope(comm);
  comm_ = make_private(comm);
  owned_ = comm_ != MPI_COMM_NULL;
  // MPI can have run out of communicators (MPICH has about 2,000). The user's own will do: all of this
  // happens inside collective calls of the user on it.
  if (!owned_) comm_ = comm;
  same_node_ = all_on_one_node(comm_, size_);
}

MpiExchange::~MpiExchange() {
  // Collective in name, and called where all ranks free the user's communicator or finalize; local in Open
  // MPI and MPICH. Nobody could be told of a failure here.
  if (owned_) static_cast<void>(MPI_Comm_free(&comm_));
}

void MpiExchange::allgather(const void* mine, void* all, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(Status::kInternal, "allgather of " + std::to_string(bytes) + " bytes a rank");
  }
  if (size_ == 1) {
    std::memcpy(all, mine, bytes);
    return;
  }
  const int count = static_cast<int>(bytes);
  require_own_success(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
}

void MpiExchange::progress() {
  if (size_ == 1) return;
  int found = 0;
  require_own_success(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE),
                      "MPI_Iprobe");
}

}  // namespace qr::mpi
