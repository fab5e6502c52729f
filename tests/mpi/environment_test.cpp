// Settings through QR_MPI_* variables: read when a communicator is first used, checked like those of an Info.
#include <gtest/gtest.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

int sum_of_ones(const Comm& comm, std::vector<float>& recv) {
  const std::vector<float> ones(recv.size(), 1);
  return sum(ones.data(), recv.data(), static_cast<std::int64_t>(recv.size()), comm.get());
}

TEST(Environment, SetsWhatACommunicatorStartsWith) {
  const ScopedEnv codec("QR_MPI_CODEC", "int4"), algorithm("QR_MPI_ALGORITHM", "two_shot");
  const ScopedEnv timeout("QR_MPI_TIMEOUT_MS", "23456"), minimum("QR_MPI_MIN_BYTES", "64");
  const Comm comm;
  EXPECT_EQ(setting_of(comm.get(), "codec"), "int4");
  EXPECT_EQ(setting_of(comm.get(), "algorithm"), "two_shot");
  EXPECT_EQ(setting_of(comm.get(), "timeout_ms"), "23456");
  EXPECT_EQ(setting_of(comm.get(), "min_bytes"), "64");
  if (comm.size() > 1) {
    EXPECT_EQ(plan_of(comm.get(), 16, MPI_FLOAT).codec, "int4");
    EXPECT_EQ(plan_of(comm.get(), 15, MPI_FLOAT).codec, "raw");
  }
  std::vector<float> recv(1000);
  EXPECT_TRUE(succeeded(sum_of_ones(comm, recv)));
}

TEST(Environment, IsReadAtFirstUseAndNotAgain) {
  const Comm comm;
  EXPECT_EQ(setting_of(comm.get(), "codec"), "raw");
  const ScopedEnv codec("QR_MPI_CODEC", "int4");
  EXPECT_EQ(setting_of(comm.get(), "codec"), "raw");
  const Comm later;
  EXPECT_EQ(setting_of(later.get(), "codec"), "int4");
}

TEST(Environment, YieldsToAnInfo) {
  const ScopedEnv codec("QR_MPI_CODEC", "int4");
  const Comm comm;
  use(comm.get(), {{"codec", "int8"}});
  EXPECT_EQ(setting_of(comm.get(), "codec"), "int8");
}

TEST(Environment, AWrongValueIsAnErrorThatNamesTheVariable) {
  for (const auto& [name, value] :
       {std::pair("QR_MPI_CODEC", "itn4"), std::pair("QR_MPI_ALGORITHM", "fast"),
        std::pair("QR_MPI_TIMEOUT_MS", "1s"), std::pair("QR_MPI_CHECK", "maybe")}) {
    const ScopedEnv wrong(name, value);
    const Comm comm;
    std::vector<float> recv(10);
    EXPECT_TRUE(failed_with(sum_of_ones(comm, recv), QR_MPI_ERR_CONFIG));
    EXPECT_TRUE(last_error_says(name));
    EXPECT_TRUE(last_error_says(value));
  }
  const Comm comm;
  std::vector<float> recv(10);
  EXPECT_TRUE(succeeded(sum_of_ones(comm, recv)));
}

/// A variable that only some ranks have: an error on all of them, for every collective that can come first.
TEST(Environment, AVariableOnOneRankOnlyIsAnErrorOnAllRanks) {
  if (world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const bool odd_one = world_rank() == world_size() - 1;
  for (const auto& [name, value] : {std::pair("QR_MPI_CODEC", "int4"), std::pair("QR_MPI_CODEC", "itn4"),
                                    std::pair("QR_MPI_MIN_BYTES", "77")}) {
    SCOPED_TRACE(std::string(name) + "=" + value);
    const Comm comm;
    {
      const ScopedEnv set(odd_one ? name : "QR_TEST_UNUSED", value);
      std::vector<float> recv(10);
      EXPECT_TRUE(failed_with(sum_of_ones(comm, recv), QR_MPI_ERR_CONFIG));
      EXPECT_TRUE(last_error_says(std::string(name).substr(7)));
    }
    // With equal variables the communicator can still be used.
    std::vector<float> recv(10);
    EXPECT_TRUE(succeeded(sum_of_ones(comm, recv)));
    EXPECT_EQ(recv, std::vector<float>(10, static_cast<float>(world_size())));
  }
}

TEST(Environment, ADirectoryForArenasIsLeftEmpty) {
  char directory[] = "/tmp/qr_mpi_test_XXXXXX";
  if (world_rank() == 0) {
    ASSERT_NE(mkdtemp(directory), nullptr);
  }
  must(MPI_Bcast(directory, sizeof(directory), MPI_CHAR, 0, MPI_COMM_WORLD));
  {
    const ScopedEnv set("QR_MPI_SHM_DIR", directory);
    const Comm comm;
    std::vector<float> recv(10'000);
    EXPECT_TRUE(succeeded(sum_of_ones(comm, recv)));
    EXPECT_EQ(recv, std::vector<float>(10'000, static_cast<float>(comm.size())));
    if (comm.size() > 1) {
      EXPECT_NE(plan_of(comm.get(), 10'000, MPI_FLOAT).algorithm, "mpi");
    }
    must(MPI_Barrier(MPI_COMM_WORLD));
    EXPECT_TRUE(names_in(directory).empty()) << "while the communicator lives";
  }
  must(MPI_Barrier(MPI_COMM_WORLD));
  if (world_rank() == 0) {
    EXPECT_EQ(rmdir(directory), 0);
  }
}

/// Memory that cannot be had: an error on all ranks, or MPI's own road on all ranks with the right result.
TEST(Environment, ADirectoryThatCannotHoldArenasStrandsNobody) {
  for (const char* directory : {"/nonexistent/dir", "/proc"}) {
    const ScopedEnv set("QR_MPI_SHM_DIR", directory);
    const Comm comm;
    std::vector<float> recv(100);
    const int code = sum_of_ones(comm, recv);
    EXPECT_EQ(on_all_ranks(code == MPI_SUCCESS, comm.get()), code == MPI_SUCCESS);
    if (code == MPI_SUCCESS) {
      EXPECT_EQ(recv, std::vector<float>(100, static_cast<float>(comm.size())));
      if (comm.size() > 1) {
        EXPECT_EQ(plan_of(comm.get(), 100, MPI_FLOAT).algorithm, "mpi");
      }
    } else {
      EXPECT_TRUE(last_error_says(directory));
    }
  }
}

}  // namespace
}  // namespace qr_test
