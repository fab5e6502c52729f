// How an error reaches the user: MPI error codes of the library, the thread's last sentence, and the error
// handler.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

#include "lib/status.hpp"

namespace qr::mpi {

/// An MPI call failed; its code goes back to the user as it is. `told`: MPI has called the user's error
/// handler already.
class MpiFailure : public std::runtime_error {
 public:
  MpiFailure(int code, const std::string& text, bool told)
      : std::runtime_error(text), code_(code), told_(told) {}
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] bool told() const { return told_; }

 private:
  int code_;
  bool told_;
};

/// MPI cannot be used at all, its error handlers included: before MPI_Init, after MPI_Finalize, in a forked
/// child.
class NoMpi : public std::runtime_error {
 public:
  NoMpi(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// For MPI calls on the user's communicator, and for those that have none: throws MpiFailure.
void require_success(int code, const char* what);

/// For MPI calls on the library's own communicators, where MPI has told nobody: throws Error(kSystem).
void require_own_success(int code, const char* what);

/// For MPI calls on the library's own communicators that only try the user's arguments: throws MpiFailure.
void require_argument_success(int code, const char* what);

/// Creates the error classes and codes. Local, once, after MPI_Init.
void create_error_codes();

/// The code for MPI of a status; MPI_ERR_OTHER while there is none.
int error_code_of(Status status) noexcept;

/// The MPI error class of a QR_MPI_ERR_... constant; MPI_ERR_UNKNOWN for another number.
int error_class_of(int constant) noexcept;

/// What the C boundary does about an exception.
struct Failure {
  int code = MPI_SUCCESS;
  bool raise = false;  // the error handler has not been called yet
};

/// Turns the exception being handled into a Failure and keeps its sentence as the thread's last error.
Failure describe_current_exception() noexcept;

/// Calls the error handler of `comm` (of MPI_COMM_WORLD if it is MPI_COMM_NULL) where that is still to be
/// done, and returns the code. Not called while an exception is handled: the user's handler may leave by
/// longjmp.
int finish_failure(const Failure& failure, MPI_Comm comm);

/// Before MPI is given a call of the user's: the handler that it may call must not find an older sentence.
void forget_sentence() noexcept;

/// The thread's last sentence; "" if there was no error.
const char* last_error() noexcept;

/// Runs `body`; what it throws becomes the error code that is returned.
template <class Body>
int guarded(MPI_Comm comm, const Body& body) {
  Failure failure;
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    failure = describe_current_exception();
  }
  return finish_failure(failure, comm);
}

}  // namespace qr::mpi
