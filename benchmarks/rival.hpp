// The rival: MPI's own all-reduce, with a user op where MPI lacks the type.
#pragma once

#include <cstdint>
#include <optional>

#include "elements.hpp"
#include "operations.hpp"

namespace qr::bench {

/// MPI_Allreduce of `element`. float and double use MPI's own op. MPI has no 16-bit floats, so a program
/// without this library writes a user op: here one that widens to fp32, combines and rounds, vectorised with
/// AVX2 and F16C where the machine has them, so the comparison is with a good one. It rounds once a step of
/// MPI's algorithm.
class Rival {
 public:
  Rival(Element element, Operation operation);
  ~Rival();
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

  /// Largest count of one call (MPI_Allreduce counts in int).
  static constexpr std::int64_t kLargestCount = INT32_MAX;

  void allreduce(const void* send, void* recv, std::int64_t count, MPI_Comm comm) const;

 private:
  MPI_Datatype datatype_;
  MPI_Op op_;
  bool owned_ = false;
};

}  // namespace qr::bench
