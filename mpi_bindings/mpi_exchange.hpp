// The core's bootstrap over MPI, on a communicator that only the library uses.
#pragma once

#include <mpi.h>

#include "lib/bootstrap.hpp"

namespace qr::mpi {

class MpiExchange final : public Bootstrap {
 public:
  /// Collective over `comm`, an intracommunicator that must outlive this object.
  explicit MpiExchange(MPI_Comm comm);
  ~MpiExchange() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void allgather(const void* mine, void* all, std::size_t bytes) override;
  [[nodiscard]] bool same_node() const override { return same_node_; }

  /// Polls for a message that never comes: MPI then serves a peer that is blocked in a rendezvous with this
  /// rank.
  void progress() override;

 private:
  int rank_ = 0;
  int size_ = 1;
  bool same_node_ = true;
  bool owned_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;  // not made for a single rank
};

}  // namespace qr::mpi
