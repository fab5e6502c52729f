// What the core needs from whoever starts the ranks: a few small collectives. Implemented over MPI in
// mpi_bindings, over threads in the tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/status.hpp"

namespace qr {

/// All functions are collective over the same ranks and blocking. They throw Error if the transport fails.
class Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Every rank's `bytes` bytes, in rank order, into `all` (size() * bytes).
  virtual void allgather(const void* mine, void* all, std::size_t bytes) = 0;

  /// True when all ranks run on one node, as far as the transport can tell. A hint: mappings are proved.
  [[nodiscard]] virtual bool same_node() const = 0;

  /// Lets the transport make progress while the core waits for a peer. Local, cheap, any number of times.
  virtual void progress() = 0;
};

/// A rank's opinion in an agreement.
struct Vote {
  Status status = Status::kSuccess;
  std::string text;  // why, where status is not kSuccess
};

/// What the ranks agreed on: the worst status, the lowest rank that had it, and that rank's sentence.
struct Agreement {
  Status status = Status::kSuccess;
  int rank = -1;
  std::string text;
  [[nodiscard]] bool ok() const { return status == Status::kSuccess; }
};

/// No rank decides alone: ends a set-up step. Collective; all ranks get the same answer.
Agreement agree(Bootstrap& bootstrap, const Vote& vote);

/// Every rank's value of a trivially copyable type.
template <class T>
std::vector<T> gather_all(Bootstrap& bootstrap, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(bootstrap.size()));
  bootstrap.allgather(&mine, all.data(), sizeof(T));
  return all;
}

/// Rank 0's value of a trivially copyable type, on all ranks.
template <class T>
T from_first(Bootstrap& bootstrap, const T& mine) {
  return gather_all(bootstrap, mine).front();
}

}  // namespace qr
