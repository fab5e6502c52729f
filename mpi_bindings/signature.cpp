// Looks into datatypes by MPI_Type_get_envelope and MPI_Type_get_contents. Happens once for a run of equal
// calls.
#include "mpi_bindings/signature.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "mpi_bindings/errors.hpp"
#include "mpi_bindings/mpi_types.hpp"

namespace qr::mpi {

namespace {

/// In the order of the numbers that signatures carry; what is not here is a user's op.
constexpr std::uint32_t kUserOp = 0xff;
std::uint32_t op_number(MPI_Op op) {
  const MPI_Op ops[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                        MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  const auto* const found = std::find(std::begin(ops), std::end(ops), op);
  return found == std::end(ops) ? kUserOp : static_cast<std::uint32_t>(found - std::begin(ops));
}

bool is_complex(MPI_Datatype datatype) {
  const MPI_Datatype types[] = {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
                                MPI_COMPLEX, MPI_DOUBLE_COMPLEX};
  return std::find(std::begin(types), std::end(types), datatype) != std::end(types);
}

enum class Kind : std::uint32_t { kElement = 1, kPlain, kComplex, kDerived, kParts };

std::uint32_t pack(Kind kind, std::uint32_t op, std::uint32_t detail) {
  return static_cast<std::uint32_t>(kind) << 24 | op << 16 | (detail & 0xffffU);
}

MPI_Count size_of(MPI_Datatype datatype) {
  MPI_Count bytes = 0;
  require_success(MPI_Type_size_x(datatype, &bytes), "MPI_Type_size_x");
  return bytes;
}

struct Envelope {
  explicit Envelope(MPI_Datatype datatype) {
    require_success(MPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner),
                    "MPI_Type_get_envelope");
  }
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
};

/// What a datatype was made of. Owns the handles that MPI gave for that.
class Parts {
 public:
  Parts(MPI_Datatype datatype, const Envelope& envelope)
      : types_(static_cast<std::size_t>(envelope.datatypes), MPI_DATATYPE_NULL) {
    std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
    require_success(MPI_Type_get_contents(datatype, envelope.integers, envelope.addresses, envelope.datatypes,
                                          integers.data(), addresses.data(), types_.data()),
                    "MPI_Type_get_contents");
    // Of a struct, the integers are the number of its parts and how often each comes.
    if (envelope.combiner == MPI_COMBINER_STRUCT) lengths_.assign(integers.begin() + 1, integers.end());
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    for (MPI_Datatype& type : types_) {
      // Named ones must not be freed. A failure here leaks a handle, no more.
      int counts[3] = {};
      int combiner = MPI_COMBINER_NAMED;
      if (MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner) == MPI_SUCCESS &&
          combiner != MPI_COMBINER_NAMED) {
        static_cast<void>(MPI_Type_free(&type));
      }
    }
  }

  /// visit(type) for those that are there at all.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t index = 0; index < types_.size(); ++index) {
      if (index >= lengths_.size() || lengths_[index] > 0) visit(types_[index]);
    }
  }

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<int> lengths_;
};

// Bits for kinds of basic types.
constexpr std::uint32_t kFloats = 1;  // times 1, 2, 4 for widths of 2, 4, 8 bytes
constexpr std::uint32_t kComplexes = 1 << 3;
constexpr std::uint32_t kSmall = 1 << 4;  // times 1, 2, 4, 8, 16 for widths of 1, 2, 4, 8, 16 bytes
constexpr std::uint32_t kOther = 1 << 9;
constexpr std::uint32_t kSome = 1 << 15;  // there are elements, if only empty ones

std::uint32_t plain_bits(MPI_Count bytes) {
  for (std::uint32_t power = 0; power < 5; ++power) {
    if (bytes == MPI_Count{1} << power) return kSmall << power;
  }
  return kOther;
}

std::uint32_t basic_bits(MPI_Datatype datatype) {
  struct Pair {
    MPI_Datatype pair, value, place;
  };
  // A pair is a struct in MPI's eyes, and programs may make their own.
  const Pair pairs[] = {{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
                        {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                        {MPI_LONG_INT, MPI_LONG, MPI_INT},
                        {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                        {MPI_2INT, MPI_INT, MPI_INT},
                        {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
                        {MPI_2REAL, MPI_REAL, MPI_REAL},
                        {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
                        {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION}};
  for (const Pair& entry : pairs) {
    if (entry.pair == datatype && datatype != MPI_DATATYPE_NULL)
      return basic_bits(entry.value) | basic_bits(entry.place);
  }
  if (const auto type = element_type(datatype)) {
    const std::size_t width = element_bytes(*type);
    return width == 2 ? kFloats : width == 4 ? kFloats << 1 : kFloats << 2;
  }
  return is_complex(datatype) ? kComplexes : plain_bits(size_of(datatype));
}

/// Which kinds of basic types a datatype consists of. The library's 16-bit types count as the bytes that MPI
/// takes them for.
std::uint32_t part_bits(MPI_Datatype datatype) {
  if (size_of(datatype) == 0) return 0;
  const Envelope envelope(datatype);
  if (envelope.combiner == MPI_COMBINER_NAMED) return basic_bits(datatype);
  if (envelope.datatypes == 0) return plain_bits(size_of(datatype));  // a Fortran type by its precision
  std::uint32_t bits = 0;
  Parts(datatype, envelope).for_each([&bits](MPI_Datatype part) { bits |= part_bits(part); });
  return bits;
}

CallSignature signature_of_parts(MPI_Count count, MPI_Datatype datatype) {
  // Products that wrap around are still equal where the factors' are.
  const auto bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size_of(datatype));
  const std::uint32_t bits = count == 0 ? 0 : kSome | part_bits(datatype);
  return {pack(Kind::kParts, kUserOp, bits), static_cast<std::int64_t>(bytes & (~std::uint64_t{0} >> 1)),
          true};
}

}  // namespace

CallSignature signature_of(MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  const std::uint32_t number = op_number(op);
  if (number == kUserOp) return signature_of_parts(count, datatype);
  if (const auto type = element_type(datatype)) {
    return {pack(Kind::kElement, number, static_cast<std::uint32_t>(*type)), count, false};
  }
  // MPI will refuse a derived datatype; that is the same call on all ranks.
  if (Envelope(datatype).combiner != MPI_COMBINER_NAMED)
    return {pack(Kind::kDerived, number, 0), count == 0 ? 0 : 1, false};
  const Kind kind = is_complex(datatype) ? Kind::kComplex : Kind::kPlain;
  return {pack(kind, number, static_cast<std::uint32_t>(size_of(datatype))), count, false};
}

bool is_named(MPI_Datatype datatype) { return Envelope(datatype).combiner == MPI_COMBINER_NAMED; }

bool is_predefined(MPI_Datatype datatype, MPI_Op op) {
  return op_number(op) != kUserOp && is_named(datatype);
}

}  // namespace qr::mpi
