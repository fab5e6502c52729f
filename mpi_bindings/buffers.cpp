// What is wrong with a pair of buffers, in words.
#include "mpi_bindings/buffers.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

std::string hex(const void* address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Status::kBuffer, "qr_mpi_allreduce: " + text);
}

bool is_misaligned(const Call& call, const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % call.element_bytes != 0;
}

std::string overlap_text(const void* sendbuf, const void* recvbuf) {
  return "sendbuf " + hex(sendbuf) + " and recvbuf " + hex(recvbuf) +
         " overlap; to reduce in place, pass MPI_IN_PLACE as sendbuf";
}

}  // namespace

void refuse_buffers(const Call& call, const void* sendbuf, const void* recvbuf) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if (recvbuf == MPI_IN_PLACE) refuse("MPI_IN_PLACE stands for recvbuf; it may only stand for sendbuf");
  if (sendbuf == nullptr) refuse("sendbuf is NULL");
  if (recvbuf == nullptr) refuse("recvbuf is NULL");
  const std::string must =
      " is not aligned to its elements of " + std::to_string(call.element_bytes) + " bytes";
  if (!in_place && is_misaligned(call, sendbuf)) refuse("sendbuf " + hex(sendbuf) + must);
  if (is_misaligned(call, recvbuf)) refuse("recvbuf " + hex(recvbuf) + must);
  if (in_place) refuse("MPI_IN_PLACE cannot be used on an intercommunicator");
  refuse(overlap_text(sendbuf, recvbuf));
}

void require_foreign_buffers(const Call& call, const void* sendbuf, const void* recvbuf, bool inter) {
  if (recvbuf == MPI_IN_PLACE) refuse_buffers(call, sendbuf, recvbuf);
  // What there is between intercommunicators is MPI's own to say.
  if (inter) return;
  // NULL is MPI_BOTTOM, which suits a derived datatype with absolute addresses.
  if (call.lasting && call.count > 0 && (sendbuf == nullptr || recvbuf == nullptr))
    refuse_buffers(call, sendbuf, recvbuf);
  if (sendbuf == MPI_IN_PLACE) return;
  if (sendbuf == recvbuf) refuse(overlap_text(sendbuf, recvbuf));

  // Ranges can be compared where a datatype has no holes; elements may lie in each other's holes.
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower = 0;
  MPI_Count true_extent = 0;
  require_success(MPI_Type_size_x(call.datatype, &size), "MPI_Type_size_x");
  require_success(MPI_Type_get_extent_x(call.datatype, &lower, &extent), "MPI_Type_get_extent_x");
  require_success(MPI_Type_get_true_extent_x(call.datatype, &true_lower, &true_extent),
                  "MPI_Type_get_true_extent_x");
  if (size <= 0 || size != extent || size != true_extent) return;
  const auto send = reinterpret_cast<std::uintptr_t>(sendbuf);
  const auto recv = reinterpret_cast<std::uintptr_t>(recvbuf);
  const std::uintptr_t distance = send < recv ? recv - send : send - recv;
  // Divided, not multiplied: a count may be too large for its bytes to be counted.
  if (distance / static_cast<std::uintptr_t>(size) < static_cast<std::uintptr_t>(call.count)) {
    refuse(overlap_text(sendbuf, recvbuf));
  }
}

}  // namespace qr::mpi
