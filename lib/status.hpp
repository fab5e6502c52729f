// Status codes and the error that carries a whole sentence.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace qr {

// Name, and the sentence that MPI_Error_string gives for it. The order is the order of severity: when ranks
// differ, the greater one is agreed on.
#define QR_STATUS_LIST(X)                                                                                 \
  X(kSuccess, "success")                                                                                  \
  X(kUnavailable, "the fast path cannot be used on this communicator")                                    \
  X(kArgument, "qr_mpi: invalid argument")                                                                \
  X(kBuffer, "qr_mpi: invalid buffer (overlapping, misaligned, or MPI_IN_PLACE where it is not allowed)") \
  X(kConfig, "qr_mpi: invalid or conflicting setting")                                                    \
  X(kMismatch, "qr_mpi: ranks called with different arguments")                                           \
  X(kTimeout, "qr_mpi: a peer did not take part in time")                                                 \
  X(kAborted, "qr_mpi: a peer gave up on this communicator")                                              \
  X(kBroken, "qr_mpi: the communicator failed in an earlier call")                                        \
  X(kSystem, "qr_mpi: an operating system or device call failed")                                         \
  X(kInternal, "qr_mpi: internal error")

enum class [[nodiscard]] Status : std::int32_t{
#define QR_STATUS_ENUM(name, text) name,
    QR_STATUS_LIST(QR_STATUS_ENUM)
#undef QR_STATUS_ENUM
};
inline constexpr int kStatusCount = static_cast<int>(Status::kInternal) + 1;

/// The short sentence of the list above.
const char* message_of(Status status);

/// Thrown on cold paths; caught at the C boundary. what() says what was tried, where, what was seen and what
/// to do.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] Status status() const { return status_; }

 private:
  Status status_;
};

}  // namespace qr
