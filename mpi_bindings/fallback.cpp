// Cuts a call into pieces that MPI can take.
#include "mpi_bindings/fallback.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/element.hpp"
#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

constexpr MPI_Count kNoLimit = std::numeric_limits<MPI_Count>::max();

/// Elements of a piece where MPI takes an int.
constexpr MPI_Count kIntPiece = std::numeric_limits<int>::max();

/// Elements converted at a time: two buffers of floats, 1 MiB together.
constexpr MPI_Count kWidenedPiece = MPI_Count{128} * 1024;

/// Test hook, no setting: QR_MPI_TEST_PIECE=<elements> makes small calls go in pieces too. It must be alike
/// on all ranks.
MPI_Count test_piece() {
  static const MPI_Count limit = [] {
    const char* const text = std::getenv("QR_MPI_TEST_PIECE");
    const long long value = text == nullptr ? 0 : std::atoll(text);
    return value > 0 ? static_cast<MPI_Count>(value) : kNoLimit;
  }();
  return limit;
}

void allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm) {
#if MPI_VERSION >= 4
  if (count > kIntPiece) {
    require_success(MPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm), "MPI_Allreduce_c");
    return;
  }
#endif
  require_success(MPI_Allreduce(sendbuf, recvbuf, static_cast<int>(count), datatype, op, comm),
                  "MPI_Allreduce");
}

/// `base` moved by `bytes`; as integers, for base may be MPI_BOTTOM.
void* shifted(const void* base, std::intptr_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(base) + bytes);
}

template <class Element>
void reduce_widened_as(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Op op, MPI_Comm comm) {
  using Storage = typename Element::Storage;
  const auto* const send = static_cast<const Storage*>(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
  auto* const recv = static_cast<Storage*>(recvbuf);
  const MPI_Count piece = std::min({count, kWidenedPiece, test_piece()});
  // Before anything is sent, so that a rank without memory has said nothing yet.
  std::vector<float> wide(2 * static_cast<std::size_t>(piece));
  float* const input = wide.data();
  float* const output = input + piece;
  for (MPI_Count done = 0; done < count; done += piece) {
    const MPI_Count values = std::min(piece, count - done);
    std::transform(send + done, send + done + values, input, Element::load);
    allreduce(input, output, values, MPI_FLOAT, op, comm);
    std::transform(output, output + values, recv + done, Element::store);
  }
}

}  // namespace

void reduce_through_mpi(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm) {
  // Nothing is read or written, but an MPI may refuse buffers that are missing or equal.
  double nothing[2];
  if (count == 0) {
    if (sendbuf != MPI_IN_PLACE) sendbuf = &nothing[0];
    recvbuf = &nothing[1];
  }
  const MPI_Count piece = std::min(MPI_VERSION >= 4 ? kNoLimit : kIntPiece, test_piece());
  if (count <= piece) {
    allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    return;
  }
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  require_success(MPI_Type_get_extent_x(datatype, &lower, &extent), "MPI_Type_get_extent_x");
  for (MPI_Count done = 0; done < count; done += piece) {
    const auto offset = static_cast<std::intptr_t>(done * extent);
    const void* const send = sendbuf == MPI_IN_PLACE ? MPI_IN_PLACE : shifted(sendbuf, offset);
    allreduce(send, shifted(recvbuf, offset), std::min(piece, count - done), datatype, op, comm);
  }
}

void reduce_widened(const void* sendbuf, void* recvbuf, MPI_Count count, DataType type, MPI_Op op,
                    MPI_Comm comm) {
  if (type == DataType::kFloat16) {
    reduce_widened_as<Float16>(sendbuf, recvbuf, count, op, comm);
  } else {
    reduce_widened_as<BFloat16>(sendbuf, recvbuf, count, op, comm);
  }
}

}  // namespace qr::mpi
