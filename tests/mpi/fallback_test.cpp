// What the library leaves to MPI: datatypes, ops and communicators outside its own path give what
// MPI_Allreduce gives.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstring>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// The library's result equals MPI's byte for byte, in place and not.
void same_as_mpi(const Comm& comm, const std::vector<unsigned char>& bytes, int count, MPI_Datatype datatype,
                 MPI_Op op) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::vector<unsigned char> wanted = bytes;  // gaps of the datatype keep what they held
  must(MPI_Allreduce(bytes.data(), wanted.data(), count, datatype, op, comm.get()));
  Guarded<unsigned char> recv(size), in_place(size);
  recv.assign(bytes.data());
  in_place.assign(bytes.data());
  EXPECT_TRUE(succeeded(qr_mpi_allreduce(bytes.data(), recv.data(), count, datatype, op, comm.get())));
  EXPECT_TRUE(recv.holds(wanted.data()));
  EXPECT_TRUE(recv.guards_intact());
  EXPECT_TRUE(succeeded(qr_mpi_allreduce(MPI_IN_PLACE, in_place.data(), count, datatype, op, comm.get())));
  EXPECT_TRUE(in_place.holds(wanted.data())) << "in place";
  EXPECT_TRUE(in_place.guards_intact());
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> small_integers(int count, std::uint64_t seed) {
  std::vector<T> values;
  const Input input{.seed = seed, .pattern = Pattern::kIntegers};
  for (int index = 0; index < count; ++index)
    values.push_back(static_cast<T>(input.real(world_rank(), index) + 8));
  return values;
}

TEST(Fallback, IntegersWithAllTheirOps) {
  const Comm comm;
  constexpr int kCount = 501;
  for (MPI_Op op :
       {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR}) {
    same_as_mpi(comm, bytes_of(small_integers<std::int8_t>(kCount, 1)), kCount, MPI_INT8_T, op);
    same_as_mpi(comm, bytes_of(small_integers<std::uint16_t>(kCount, 2)), kCount, MPI_UINT16_T, op);
    same_as_mpi(comm, bytes_of(small_integers<int>(kCount, 3)), kCount, MPI_INT, op);
    same_as_mpi(comm, bytes_of(small_integers<std::int64_t>(kCount, 4)), kCount, MPI_INT64_T, op);
  }
}

TEST(Fallback, OtherBasicTypes) {
  const Comm comm;
  constexpr int kCount = 333;
  same_as_mpi(comm, bytes_of(small_integers<std::uint8_t>(kCount, 5)), kCount, MPI_BYTE, MPI_BXOR);
  same_as_mpi(comm, bytes_of(small_integers<long double>(kCount, 6)), kCount, MPI_LONG_DOUBLE, MPI_MAX);
  same_as_mpi(comm, bytes_of(small_integers<double>(2 * kCount, 7)), kCount, MPI_C_DOUBLE_COMPLEX, MPI_SUM);
  std::vector<unsigned char> flags = bytes_of(small_integers<std::uint8_t>(kCount, 8));
  for (unsigned char& flag : flags) flag &= 1;
  same_as_mpi(comm, flags, kCount, MPI_CXX_BOOL, MPI_LOR);
  std::vector<int> logicals = small_integers<int>(kCount, 9);
  for (int& logical : logicals) logical &= 1;
  int bytes_of_logical = 0;
  if (MPI_LOGICAL != MPI_DATATYPE_NULL && MPI_Type_size(MPI_LOGICAL, &bytes_of_logical) == MPI_SUCCESS &&
      bytes_of_logical == static_cast<int>(sizeof(int))) {
    same_as_mpi(comm, bytes_of(logicals), kCount, MPI_LOGICAL, MPI_LAND);
  }
}

TEST(Fallback, ValuesWithPlaces) {
  struct ValueAndPlace {
    double value;
    int place;
  };
  const Comm comm;
  constexpr int kCount = 100;
  std::vector<unsigned char> bytes(kCount * sizeof(ValueAndPlace));
  for (int index = 0; index < kCount; ++index) {
    const ValueAndPlace pair{Input{.seed = 10, .pattern = Pattern::kIntegers}.real(comm.rank(), index),
                             comm.rank()};
    unsigned char* at = bytes.data() + static_cast<std::size_t>(index) * sizeof(pair);
    std::memcpy(at, &pair.value, sizeof(pair.value));
    std::memcpy(at + offsetof(ValueAndPlace, place), &pair.place, sizeof(pair.place));
  }
  same_as_mpi(comm, bytes, kCount, MPI_DOUBLE_INT, MPI_MAXLOC);
  same_as_mpi(comm, bytes, kCount, MPI_DOUBLE_INT, MPI_MINLOC);
}

/// Not commutative, so it also shows that ranks are taken in order: (a, b) -> 3 a + b modulo 2^32, on every
/// 32-bit word.
void horner(void* in, void* in_out, int* count, MPI_Datatype* datatype) {
  MPI_Aint lower_bound = 0, extent = 0;
  int bytes = 0;
  must(MPI_Type_get_extent(*datatype, &lower_bound, &extent));
  must(MPI_Type_size(*datatype, &bytes));
  const auto stride = static_cast<std::size_t>(extent) / (static_cast<std::size_t>(bytes) / 4);
  for (std::size_t at = 0; at < static_cast<std::size_t>(*count) * static_cast<std::size_t>(extent);
       at += stride) {
    std::uint32_t a = 0, b = 0;
    std::memcpy(&a, static_cast<const char*>(in) + at, 4);
    std::memcpy(&b, static_cast<const char*>(in_out) + at, 4);
    b += 3 * a;
    std::memcpy(static_cast<char*>(in_out) + at, &b, 4);
  }
}

class UserOp {
 public:
  explicit UserOp(MPI_User_function* function = horner) { must(MPI_Op_create(function, 0, &op_)); }
  ~UserOp() { must(MPI_Op_free(&op_)); }
  UserOp(const UserOp&) = delete;
  UserOp& operator=(const UserOp&) = delete;
  [[nodiscard]] MPI_Op get() const { return op_; }

 private:
  MPI_Op op_ = MPI_OP_NULL;
};

TEST(Fallback, UserOps) {
  const Comm comm;
  const UserOp op;
  same_as_mpi(comm, bytes_of(small_integers<int>(700, 11)), 700, MPI_INT, op.get());
  same_as_mpi(comm, bytes_of(small_integers<float>(700, 12)), 700, MPI_FLOAT, op.get());
}

/// Two words of every four bytes are left out: they must stay as they are.
TEST(Fallback, DerivedTypesWithUserOps) {
  const Comm comm;
  const UserOp op;
  MPI_Datatype strided = MPI_DATATYPE_NULL, resized = MPI_DATATYPE_NULL;
  must(MPI_Type_vector(3, 1, 2, MPI_INT, &strided));
  must(MPI_Type_create_resized(strided, 0, 24, &resized));
  must(MPI_Type_commit(&resized));
  for (const char* codec : {"raw", "int4"}) {
    use(comm.get(), {{"codec", codec}});
    same_as_mpi(comm, bytes_of(small_integers<int>(6 * 50, 13)), 50, resized, op.get());
  }
  must(MPI_Type_free(&resized));
  must(MPI_Type_free(&strided));
}

/// Any op at all: what it gives is not looked at.
void leave_as_it_is(void*, void*, int*, MPI_Datatype*) {}

/// A datatype of one's own, freed with it.
class OwnType {
 public:
  template <class Make, class... Arguments>
  explicit OwnType(Make* make, Arguments... arguments) {
    must(make(arguments..., &type_));
    must(MPI_Type_commit(&type_));
  }
  ~OwnType() { must(MPI_Type_free(&type_)); }
  OwnType(const OwnType&) = delete;
  OwnType& operator=(const OwnType&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// The ranks need not write one signature in one way.
TEST(Fallback, UserOpsTakeOneSignatureUnderManyNames) {
  const Comm comm;
  const UserOp op;
  const OwnType renamed(MPI_Type_dup, MPI_INT), three(MPI_Type_contiguous, 3, MPI_INT),
      six(MPI_Type_contiguous, 2, three.get());
  struct Name {
    int count;
    MPI_Datatype datatype;
  };
  const Name names[] = {{12, MPI_INT}, {12, renamed.get()}, {4, three.get()}, {2, six.get()}};
  const Name& name = names[comm.rank() % 4];
  const std::vector<int> send = small_integers<int>(12, 19);
  std::vector<int> wanted(12), recv(12);
  must(MPI_Allreduce(send.data(), wanted.data(), 12, MPI_INT, op.get(), comm.get()));
  EXPECT_TRUE(
      succeeded(qr_mpi_allreduce(send.data(), recv.data(), name.count, name.datatype, op.get(), comm.get())));
  EXPECT_EQ(recv, wanted);
}

TEST(Fallback, TypesOfOneSignatureAreNoDisagreement) {
  struct ValueAndPlace {
    double value;
    int place;
  };
  const Comm comm;
  const UserOp op(leave_as_it_is);
  const int lengths[] = {1, 0, 1};
  const MPI_Aint places[] = {0, 0, offsetof(ValueAndPlace, place)};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  const OwnType renamed(MPI_Type_dup, MPI_FLOAT), pair(MPI_Type_create_struct, 3, lengths, places, parts),
      own_half(MPI_Type_contiguous, 2, MPI_BYTE), half(MPI_Type_dup, qr_mpi_type_float16()),
      spread(MPI_Type_vector, 2, 1, 3, MPI_FLOAT);
  const MPI_Datatype same[][2] = {{MPI_FLOAT, renamed.get()},
                                  {MPI_DOUBLE_INT, pair.get()},
                                  {qr_mpi_type_float16(), own_half.get()},
                                  {half.get(), qr_mpi_type_bfloat16()}};
  std::vector<double> send(100), recv(100);
  for (const auto& types : same) {
    EXPECT_TRUE(succeeded(
        qr_mpi_allreduce(send.data(), recv.data(), 9, types[comm.rank() % 2], op.get(), comm.get())));
  }
  const bool odd = comm.rank() % 2 == 1;
  EXPECT_TRUE(succeeded(qr_mpi_allreduce(send.data(), recv.data(), odd ? 5 : 10,
                                         odd ? spread.get() : MPI_FLOAT, op.get(), comm.get())));
}

TEST(Fallback, ATypeThatOnlyRenamesFloatIsRight) {
  const Comm comm;
  MPI_Datatype renamed = MPI_DATATYPE_NULL;
  must(MPI_Type_dup(MPI_FLOAT, &renamed));
  const std::vector<float> send = small_integers<float>(100, 14);
  std::vector<float> recv(100), wanted(100);
  must(MPI_Allreduce(send.data(), wanted.data(), 100, MPI_FLOAT, MPI_SUM, comm.get()));
  const int code = qr_mpi_allreduce(send.data(), recv.data(), 100, renamed, MPI_SUM, comm.get());
  std::vector<float> of_mpi(100);
  const int code_of_mpi = MPI_Allreduce(send.data(), of_mpi.data(), 100, renamed, MPI_SUM, comm.get());
  EXPECT_EQ(code == MPI_SUCCESS, code_of_mpi == MPI_SUCCESS) << qr_mpi_last_error();
  if (code == MPI_SUCCESS) {
    EXPECT_EQ(recv, wanted);
  }
  must(MPI_Type_free(&renamed));
}

/// A codec set on the communicator leaves combinations that it does not cover exact.
TEST(Fallback, PairsThatNoCodecCoversStayExact) {
  const Comm comm;
  for (const Codec& codec : lossy_codecs()) {
    use(comm.get(), {{"codec", codec.name}});
    same_as_mpi(comm, bytes_of(small_integers<double>(400, 15)), 400, MPI_DOUBLE, MPI_SUM);
    same_as_mpi(comm, bytes_of(small_integers<float>(400, 16)), 400, MPI_FLOAT, MPI_MAX);
    same_as_mpi(comm, bytes_of(small_integers<float>(400, 17)), 400, MPI_FLOAT, MPI_MIN);
    same_as_mpi(comm, bytes_of(small_integers<int>(400, 18)), 400, MPI_INT, MPI_SUM);
    EXPECT_EQ(plan_of(comm.get(), 400, MPI_DOUBLE).codec, "raw");
    EXPECT_EQ(plan_of(comm.get(), 400, MPI_FLOAT, MPI_MAX).codec, "raw");
  }
}

}  // namespace
}  // namespace qr_test
