// Checks of the user's buffers, before anything is sent.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi_bindings/call.hpp"

namespace qr::mpi {

/// Throws Error(kBuffer) with a sentence that says what is wrong with buffers that fail the test of
/// require_buffers.
[[noreturn]] void refuse_buffers(const Call& call, const void* sendbuf, const void* recvbuf);

/// For datatypes that are not the library's: what can be told without walking through them.
void require_foreign_buffers(const Call& call, const void* sendbuf, const void* recvbuf, bool inter);

/// Returns for buffers that the call can work with, else throws Error(kBuffer).
inline void require_buffers(const Call& call, const void* sendbuf, const void* recvbuf, bool inter) {
  if (call.count == 0) return;
  if (call.element_bytes == 0) return require_foreign_buffers(call, sendbuf, recvbuf, inter);
  const auto recv = reinterpret_cast<std::uintptr_t>(recvbuf);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const auto send = in_place ? recv : reinterpret_cast<std::uintptr_t>(sendbuf);
  const std::uintptr_t bytes = static_cast<std::uintptr_t>(call.count) * call.element_bytes;
  const bool overlap = !in_place && !inter && send - recv + bytes - 1 < 2 * bytes - 1;
  const bool misaligned = ((send | recv) & (call.element_bytes - 1)) != 0;
  const bool missing = send == 0 || recv == 0 || recvbuf == MPI_IN_PLACE || (in_place && inter);
  if (overlap || misaligned || missing) [[unlikely]]
    refuse_buffers(call, sendbuf, recvbuf);
}

}  // namespace qr::mpi
