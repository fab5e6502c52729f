// Error classes, codes and sentences.
#include "mpi_bindings/errors.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "lib/log.hpp"
#include "qr_mpi/qr_mpi.h"

namespace qr::mpi {

namespace {

constexpr int kConstants = QR_MPI_ERR_INTERNAL + 1;  // 0 is not used

// Written once, before anybody can have a communicator of the library.
std::array<int, kConstants> classes{};
std::array<int, kConstants> codes{};

// Not a std::string: it must outlive every other thread_local, and storing a sentence must not fail.
constinit thread_local char sentence[2048] = "";

void keep_sentence(const char* text) noexcept { std::snprintf(sentence, sizeof(sentence), "%s", text); }

constexpr int constant_of(Status status) {
  switch (status) {
    case Status::kArgument:
      return QR_MPI_ERR_ARGUMENT;
    case Status::kBuffer:
      return QR_MPI_ERR_BUFFER;
    case Status::kConfig:
      return QR_MPI_ERR_CONFIG;
    case Status::kMismatch:
      return QR_MPI_ERR_MISMATCH;
    case Status::kTimeout:
      return QR_MPI_ERR_TIMEOUT;
    case Status::kAborted:
      return QR_MPI_ERR_ABORTED;
    case Status::kBroken:
      return QR_MPI_ERR_BROKEN;
    case Status::kSystem:
      return QR_MPI_ERR_SYSTEM;
    case Status::kSuccess:
    case Status::kUnavailable:
    case Status::kInternal:
      break;
  }
  return QR_MPI_ERR_INTERNAL;
}

std::string mpi_text(int code, const char* what) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  return std::string(what) + " failed: " +
         (length > 0 ? std::string(text.data(), static_cast<std::size_t>(length))
                     : "error " + std::to_string(code));
}

/// What is wrong with arguments is found before ranks matter, so its sentence does not say where that was.
void add_rank(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  if (std::strstr(sentence, "rank ") != nullptr) return;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || MPI_Comm_size(comm, &size) != MPI_SUCCESS) return;
  char located[sizeof(sentence)];
  std::snprintf(located, sizeof(located), "rank %d of %d: %.1900s", rank, size, sentence);
  keep_sentence(located);
}

/// Under MPI_ERRORS_ARE_FATAL nobody can ask for the sentence any more, so it is written before the program
/// stops.
void announce_if_fatal(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS || handler == MPI_ERRHANDLER_NULL) return;
  bool fatal = handler == MPI_ERRORS_ARE_FATAL;
#if MPI_VERSION >= 4
  fatal = fatal || handler == MPI_ERRORS_ABORT;
#endif
  int rank = -1;
  if (fatal && MPI_Comm_rank(comm, &rank) == MPI_SUCCESS) {
    log_line(static_cast<int>(LogLevel::kWarning), LogLevel::kWarning, rank, sentence);
  }
  // MPI_Comm_get_errhandler gave a reference, of a predefined handler too.
  if (MPI_Errhandler_free(&handler) != MPI_SUCCESS) return;
}

}  // namespace

void require_success(int code, const char* what) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw MpiFailure(code, mpi_text(code, what), true);
}

void require_argument_success(int code, const char* what) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw MpiFailure(code, mpi_text(code, what), false);
}

void require_own_success(int code, const char* what) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw Error(Status::kSystem, mpi_text(code, what));
}

void create_error_codes() {
  for (int index = static_cast<int>(Status::kArgument); index < kStatusCount; ++index) {
    const auto status = static_cast<Status>(index);
    int error_class = 0;
    int code = 0;
    require_success(MPI_Add_error_class(&error_class), "MPI_Add_error_class");
    require_success(MPI_Add_error_code(error_class, &code), "MPI_Add_error_code");
    require_success(MPI_Add_error_string(error_class, message_of(status)), "MPI_Add_error_string");
    require_success(MPI_Add_error_string(code, message_of(status)), "MPI_Add_error_string");
    const auto constant = static_cast<std::size_t>(constant_of(status));
    classes[constant] = error_class;
    codes[constant] = code;
  }
}

int error_code_of(Status status) noexcept {
  const int code = codes[static_cast<std::size_t>(constant_of(status))];
  return code == 0 ? MPI_ERR_OTHER : code;
}

int error_class_of(int constant) noexcept {
  if (constant < QR_MPI_ERR_ARGUMENT || constant >= kConstants) return MPI_ERR_UNKNOWN;
  return classes[static_cast<std::size_t>(constant)];
}

Failure describe_current_exception() noexcept {
  try {
    throw;
  } catch (const MpiFailure& failure) {
    keep_sentence(failure.what());
    return {failure.code(), !failure.told()};
  } catch (const NoMpi& failure) {
    keep_sentence(failure.what());
    return {failure.code(), false};
  } catch (const Error& error) {
    keep_sentence(error.what());
    return {error_code_of(error.status()), true};
  } catch (const std::bad_alloc&) {
    keep_sentence("qr_mpi: out of memory");
    return {error_code_of(Status::kSystem), true};
  } catch (const std::exception& error) {
    keep_sentence(error.what());
    return {error_code_of(Status::kInternal), true};
  } catch (...) {
    keep_sentence("qr_mpi: unknown exception");
    return {error_code_of(Status::kInternal), true};
  }
}

int finish_failure(const Failure& failure, MPI_Comm comm) {
  if (failure.raise) {
    const MPI_Comm target = comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm;
    add_rank(target);
    announce_if_fatal(target);
    // Whatever this returns, the caller gets the error that was to be reported.
    static_cast<void>(MPI_Comm_call_errhandler(target, failure.code));
  }
  return failure.code;
}

void forget_sentence() noexcept { sentence[0] = '\0'; }

const char* last_error() noexcept { return sentence; }

}  // namespace qr::mpi
