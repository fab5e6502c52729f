// From before MPI_Init to after MPI_Finalize: calls outside MPI's life are errors, and the library never
// needs a goodbye.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"
#include "support/outside_mpi.hpp"

namespace qr_test {
namespace {

/// Empty, or what a call outside MPI's life did wrong. It must return: no handler, no crash, no message to
/// anybody.
std::string wrong_outside(const std::string& word) {
  float send = 1, recv = 42;
  std::string wrong;
  if (qr_mpi_allreduce(&send, &recv, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS)
    wrong += "allreduce succeeded; ";
  if (std::string(qr_mpi_last_error()).find(word) == std::string::npos) {
    wrong += "no \"" + word + "\" in: " + qr_mpi_last_error() + "; ";
  }
  if (recv != 42) wrong += "the receive buffer changed; ";
  if (qr_mpi_comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL) == MPI_SUCCESS) wrong += "set_info succeeded; ";
  MPI_Info info = MPI_INFO_NULL;
  if (qr_mpi_comm_get_info(MPI_COMM_WORLD, &info) == MPI_SUCCESS) wrong += "get_info succeeded; ";
  if (qr_mpi_type_float16() != MPI_DATATYPE_NULL) wrong += "there is a float16; ";
  if (qr_mpi_type_bfloat16() != MPI_DATATYPE_NULL) wrong += "there is a bfloat16; ";
  if (qr_mpi_codec_count() < 1) wrong += "there are no codecs; ";
  return wrong;
}

const bool before_init = at_moment(Moment::kBeforeInit, [] { return wrong_outside("MPI_Init"); });
const bool after_finalize = at_moment(Moment::kAfterFinalize, [] { return wrong_outside("MPI_Finalize"); });

TEST(Lifetime, ChecksOutsideMpiAreRegistered) { EXPECT_TRUE(before_init && after_finalize); }

TEST(Lifetime, ACallBeforeInitDoesNotSpoilLaterOnes) {
  float send = 1, recv = 0;
  EXPECT_TRUE(succeeded(sum(&send, &recv, 1, MPI_COMM_WORLD)));
  EXPECT_EQ(recv, static_cast<float>(world_size()));
}

/// Used and never freed: MPI_Finalize must cope. So must it with state on MPI_COMM_WORLD and MPI_COMM_SELF.
TEST(Lifetime, CommunicatorsMayOutliveTheProgram) {
  for (int number = 0; number < 3; ++number) {
    MPI_Comm forgotten = MPI_COMM_NULL;
    must(MPI_Comm_dup(MPI_COMM_WORLD, &forgotten));
    float send = 1, recv = 0;
    EXPECT_TRUE(succeeded(sum(&send, &recv, 1, forgotten)));
    EXPECT_TRUE(succeeded(sum(&send, &recv, 1, MPI_COMM_SELF)));
  }
}

/// A freed handle comes again for another communicator, of other ranks: nothing remembered of the old one may
/// be used.
TEST(Lifetime, ReusedHandlesAreNewCommunicators) {
  for (int round = 0; round < 20; ++round) {
    const Comm part = Comm::split(MPI_COMM_WORLD, round % 2 == 0 ? 0 : world_rank() % 2, world_rank());
    std::vector<float> ones(100, 1), recv(100);
    EXPECT_TRUE(succeeded(sum(ones.data(), recv.data(), 100, part.get())));
    EXPECT_EQ(recv.front(), static_cast<float>(part.size()));
  }
}

/// The two 16-bit types are the library's: the same handles at every call.
TEST(Lifetime, TypesKeepTheirHandles) {
  EXPECT_EQ(qr_mpi_type_float16(), qr_mpi_type_float16());
  EXPECT_EQ(qr_mpi_type_bfloat16(), qr_mpi_type_bfloat16());
}

}  // namespace
}  // namespace qr_test
