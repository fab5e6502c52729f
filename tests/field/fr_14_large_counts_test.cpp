// FR-14: more than 2^31 elements or bytes, and the same logic at small sizes with QR_MPI_TEST_PIECE.
// Vectors of gigabytes take memory and time: they run with QR_TEST_LARGE=1, by fr_14_huge_vectors_test.sh.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr MPI_Count kIntMax = 2147483647;

bool large_wanted() {
  const char* text = std::getenv("QR_TEST_LARGE");
  return text != nullptr && std::string(text) == "1";
}

// Before the library reads it, on all ranks alike. Not for vectors of gigabytes: they would take millions of
// pieces.
const int hook_set = large_wanted() ? 0 : setenv("QR_MPI_TEST_PIECE", "1000", 1);

/// Calls that go in pieces of 1,000 elements, some with a last piece of one element.
template <class T>
void expect_pieces_to_join(const Comm& comm, MPI_Datatype datatype, MPI_Op op) {
  for (const MPI_Count count : {1, 999, 1000, 1001, 2000, 5001}) {
    Guarded<T> send(count, 1), recv(count, 1), in_place(count);
    std::vector<T> wanted(static_cast<std::size_t>(count));
    for (MPI_Count index = 0; index < count; ++index) {
      send[index] =
          static_cast<T>(Input{.seed = 14, .pattern = Pattern::kIntegers}.real(comm.rank(), index) + 8);
    }
    in_place.assign(send.data());
    must(MPI_Allreduce(send.data(), wanted.data(), static_cast<int>(count), datatype, op, comm.get()));
    EXPECT_TRUE(succeeded(qr_mpi_allreduce_c(send.data(), recv.data(), count, datatype, op, comm.get())));
    EXPECT_TRUE(recv.holds(wanted.data())) << count;
    EXPECT_TRUE(recv.guards_intact()) << count;
    EXPECT_TRUE(
        succeeded(qr_mpi_allreduce_c(MPI_IN_PLACE, in_place.data(), count, datatype, op, comm.get())));
    EXPECT_TRUE(in_place.holds(wanted.data())) << count << ", in place";
    EXPECT_TRUE(in_place.guards_intact()) << count;
  }
}

TEST(Fr14LargeCounts, PiecesOfTheRoadThroughMpiJoin) {
  ASSERT_EQ(hook_set, 0);
  const Comm comm;
  use(comm.get(), {{"algorithm", "mpi"}});
  expect_pieces_to_join<int>(comm, MPI_INT, MPI_SUM);
  expect_pieces_to_join<std::int64_t>(comm, MPI_INT64_T, MPI_BXOR);
  expect_pieces_to_join<float>(comm, MPI_FLOAT, MPI_MAX);
  expect_pieces_to_join<double>(comm, MPI_DOUBLE, MPI_SUM);
}

TEST(Fr14LargeCounts, PiecesOf16BitFloatsJoin) {
  const Comm comm;
  use(comm.get(), {{"algorithm", "mpi"}});
  for (const std::int64_t count : {999, 1000, 1001, 4003}) {
    const Input input{.seed = 15, .pattern = Pattern::kIntegers};
    Guarded<Float16> values(count, 3);
    input.fill(values.data(), count, comm.rank());
    EXPECT_TRUE(succeeded(sum_in_place(values.data(), count, comm.get())));
    for (std::int64_t index = 0; index < count; ++index) {
      double wanted = 0;
      for (int rank = 0; rank < comm.size(); ++rank) wanted += input.real(rank, index);
      ASSERT_EQ(value_of(values[index]), wanted) << index << " of " << count;
    }
    EXPECT_TRUE(values.guards_intact());
  }
}

/// Gigabytes of zeroed memory that is touched only when used.
template <class T>
class Huge {
 public:
  explicit Huge(MPI_Count count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) data_ = static_cast<T*>(memory);
  }
  ~Huge() {
    if (data_ != nullptr && munmap(data_, bytes_) != 0) ADD_FAILURE() << "munmap";
  }
  Huge(const Huge&) = delete;
  Huge& operator=(const Huge&) = delete;
  T* data() { return data_; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

class Fr14HugeVectors : public testing::Test {
 protected:
  void SetUp() override {
    if (!large_wanted()) GTEST_SKIP() << "needs gigabytes a rank; QR_TEST_LARGE=1 runs it";
    must(MPI_Barrier(MPI_COMM_WORLD));
    allow_time(8);
  }
};

/// The elements that a narrowed count or offset would miss: the ends and around 2^31 and 2^32 bytes and
/// elements.
std::vector<MPI_Count> places_at_risk(MPI_Count count, MPI_Count bytes_each) {
  std::vector<MPI_Count> places;
  for (MPI_Count middle :
       {MPI_Count{32}, kIntMax / bytes_each, 2 * (kIntMax / bytes_each), kIntMax, count - 32}) {
    for (MPI_Count place = middle - 32; place < middle + 32; ++place) {
      if (place >= 0 && place < count) places.push_back(place);
    }
  }
  return places;
}

struct Road {
  const char* algorithm;
  const char* codec;
};

template <class T>
void reduce_huge(MPI_Datatype datatype, MPI_Op op, T mine, T wanted, MPI_Count count, const Road& road) {
  const Comm comm;
  use(comm.get(), {{"algorithm", road.algorithm}, {"codec", road.codec}});
  Huge<T> values(count);
  ASSERT_NE(values.data(), nullptr);
  const std::vector<MPI_Count> places = places_at_risk(count, sizeof(T));
  for (const MPI_Count place : places) values.data()[place] = mine;
  EXPECT_TRUE(succeeded(qr_mpi_allreduce_c(MPI_IN_PLACE, values.data(), count, datatype, op, comm.get())));
  std::size_t wrong = 0;
  for (const MPI_Count place : places) wrong += std::memcmp(values.data() + place, &wanted, sizeof(T)) != 0;
  EXPECT_EQ(wrong, 0U) << "of " << places.size() << " elements at risk";
}

TEST_F(Fr14HugeVectors, BytesBeyondIntMax) {
  unsigned char wanted = 0;
  for (int rank = 0; rank < world_size(); ++rank) wanted = static_cast<unsigned char>(wanted | 1 << rank);
  reduce_huge<unsigned char>(MPI_BYTE, MPI_BOR, static_cast<unsigned char>(1 << world_rank()), wanted,
                             kIntMax + 18, {"mpi", "raw"});
}

TEST_F(Fr14HugeVectors, BFloat16BeyondIntMaxElements) {
  const double wanted = world_size() * (world_size() + 1) / 2.0;
  // Blocks of one small integer are exact in int4.
  for (const Road& road : {Road{"exchange", "raw"}, Road{"two_shot", "raw"}, Road{"exchange", "int4"},
                           Road{"two_shot", "int4"}}) {
    SCOPED_TRACE(std::string(road.algorithm) + " " + road.codec);
    reduce_huge(qr_mpi_type_bfloat16(), MPI_SUM, rounded<BFloat16>(world_rank() + 1),
                rounded<BFloat16>(wanted), kIntMax + 18, road);
  }
}

}  // namespace
}  // namespace qr_test
