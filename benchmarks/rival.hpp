// The rival: MPI's own all-reduce, with a user op where MPI lacks the type.
#pragma once

#include <cstdint>
#include <optional>

#include "elements.hpp"
#include "operations.hpp"

namespace qr::bench {

/// How the user op for 16-bit types is written.
enum class UserOp {
  kTuned,  // AVX2 and F16C instructions where the machine has them: the best a user could write
  kPlain  // portable C++ for the compiler to vectorise for any machine of this architecture: what a user does
          // write
};

/// MPI_Allreduce of `element`. float and double use MPI's own op. MPI has no 16-bit floats, so a program
/// without this library writes a user op: one that widens to fp32, combines and rounds, once a step of MPI's
/// algorithm.
class Rival {
 public:
  Rival(Element element, Operation operation, UserOp user_op);
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
