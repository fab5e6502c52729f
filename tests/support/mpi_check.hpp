// MPI as the tests use it themselves: every return code checked, communicators that free themselves.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace qr_test {

/// For the tests' own MPI calls: a failure is not a test result but the end of the run, with file and line.
void must(int code, std::source_location where = std::source_location::current());

int world_rank();
int world_size();

/// Owns a communicator and lets its errors return. Made and destroyed collectively.
class Comm {
 public:
  /// Takes over `handle`; MPI_COMM_NULL (a rank left out of a split) is fine.
  explicit Comm(MPI_Comm handle) : handle_(handle) {
    if (handle_ != MPI_COMM_NULL) must(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
  }
  /// A duplicate of the world.
  Comm() : Comm(duplicate_of(MPI_COMM_WORLD)) {}
  Comm(Comm&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Comm& operator=(Comm&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  ~Comm() { free(); }

  static Comm split(MPI_Comm parent, int color, int key) {
    MPI_Comm handle = MPI_COMM_NULL;
    must(MPI_Comm_split(parent, color, key, &handle));
    return Comm(handle);
  }
  static Comm duplicate(MPI_Comm parent) { return Comm(duplicate_of(parent)); }

  void free() {
    if (handle_ != MPI_COMM_NULL) must(MPI_Comm_free(&handle_));
  }
  [[nodiscard]] MPI_Comm get() const { return handle_; }
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

 private:
  static MPI_Comm duplicate_of(MPI_Comm parent) {
    MPI_Comm handle = MPI_COMM_NULL;
    must(MPI_Comm_dup(parent, &handle));
    return handle;
  }
  MPI_Comm handle_;
};

/// Every rank's number, in rank order.
std::vector<std::int64_t> gather_numbers(std::int64_t mine, MPI_Comm comm);

/// True where `condition` holds on every rank of `comm`.
bool on_all_ranks(bool condition, MPI_Comm comm);

}  // namespace qr_test
