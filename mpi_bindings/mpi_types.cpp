// Look-up of datatypes and ops by handle.
#include "mpi_bindings/mpi_types.hpp"

#include <array>
#include <cstddef>

#include "mpi_bindings/errors.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // MPIX_C_FLOAT16 where Open MPI was built with the shortfloat extension
#endif

namespace qr::mpi {

namespace {

struct NamedType {
  MPI_Datatype handle;
  DataType type;
};

// Written once, before anybody can have a communicator of the library. MPI_FLOAT comes first: it is what most
// calls have.
std::array<NamedType, 16> known{};
std::size_t known_count = 0;

MPI_Datatype float16 = MPI_DATATYPE_NULL;
MPI_Datatype bfloat16 = MPI_DATATYPE_NULL;

void add(MPI_Datatype handle, DataType type) { known[known_count++] = {handle, type}; }

/// A Fortran name may be missing (MPI_DATATYPE_NULL or size 0), or have another width (gfortran
/// -fdefault-real-8).
void add_by_size(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL) return;
  int bytes = 0;
  require_success(MPI_Type_size(handle, &bytes), "MPI_Type_size");
  if (bytes == 4) add(handle, DataType::kFloat32);
  if (bytes == 8) add(handle, DataType::kFloat64);
}

MPI_Datatype make_two_byte_type(const char* name) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require_success(MPI_Type_contiguous(2, MPI_BYTE, &made), "MPI_Type_contiguous");
  require_success(MPI_Type_set_name(made, name), "MPI_Type_set_name");
  require_success(MPI_Type_commit(&made), "MPI_Type_commit");
  return made;
}

}  // namespace

void create_types() {
  if (float16 == MPI_DATATYPE_NULL) float16 = make_two_byte_type("QR_MPI_FLOAT16");
  if (bfloat16 == MPI_DATATYPE_NULL) bfloat16 = make_two_byte_type("QR_MPI_BFLOAT16");
  known_count = 0;
  add(MPI_FLOAT, DataType::kFloat32);
  add(MPI_DOUBLE, DataType::kFloat64);
  add(float16, DataType::kFloat16);
  add(bfloat16, DataType::kBFloat16);
  add_by_size(MPI_REAL);
  add_by_size(MPI_DOUBLE_PRECISION);
#ifdef MPI_REAL4
  add_by_size(MPI_REAL4);
#endif
#ifdef MPI_REAL8
  add_by_size(MPI_REAL8);
#endif
#ifdef MPIX_C_FLOAT16
  if (MPIX_C_FLOAT16 != MPI_DATATYPE_NULL) add(MPIX_C_FLOAT16, DataType::kFloat16);
#endif
}

void free_types() noexcept {
  known_count = 0;
  // In MPI_Finalize nobody could be told of a failure.
  static_cast<void>(MPI_Type_free(&float16));
  static_cast<void>(MPI_Type_free(&bfloat16));
}

MPI_Datatype float16_type() noexcept { return float16; }
MPI_Datatype bfloat16_type() noexcept { return bfloat16; }

std::optional<DataType> element_type(MPI_Datatype datatype) noexcept {
  for (std::size_t index = 0; index < known_count; ++index) {
    if (known[index].handle == datatype) return known[index].type;
  }
  return std::nullopt;
}

std::optional<ReduceOp> reduce_op(MPI_Op op) noexcept {
  if (op == MPI_SUM) return ReduceOp::kSum;
  if (op == MPI_MAX) return ReduceOp::kMax;
  if (op == MPI_MIN) return ReduceOp::kMin;
  if (op == MPI_PROD) return ReduceOp::kProd;
  return std::nullopt;
}

}  // namespace qr::mpi
