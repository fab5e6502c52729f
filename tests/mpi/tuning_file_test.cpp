// Tuning tables: rank 0 reads the file, for all ranks; what is wrong with it is an error on all of them, and
// nobody waits.
#include <gtest/gtest.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

constexpr const char* kTable = R"(# made up
qr_mpi_tuning 1
name made-up
flagged.blocks 256
flagged.raw_us 3
flagged.block_us 3
flagged.peer_us 0.5
exchange.raw_us 4
exchange.block_us 5
exchange.peer_us 0.5
two_shot.raw_us 6
two_shot.block_us 9
two_shot.peer_us 0.5
flagged.raw_threads_per_ns 46
flagged.block_threads_per_ns 34
link.gb_per_s 363
link.peer_gb_per_s 363
memory.gb_per_s 4300
cache.gb_per_s 7400
cache.mib 48
codec.other 7000 14000 7000 14000
)";

/// A folder of rank 0's, its current one while this lives, with a file; the other ranks stay where they are.
class TableOfRankZero {
 public:
  explicit TableOfRankZero(const std::string& text) {
    if (world_rank() == 0) {
      char before[4096];
      EXPECT_NE(getcwd(before, sizeof before), nullptr);
      before_ = before;
      char folder[] = "/tmp/qr_mpi_test_XXXXXX";
      EXPECT_NE(mkdtemp(folder), nullptr);
      folder_ = folder;
      EXPECT_EQ(chdir(folder), 0);
      std::ofstream(kName) << text;
    }
    must(MPI_Barrier(MPI_COMM_WORLD));
  }
  ~TableOfRankZero() {
    must(MPI_Barrier(MPI_COMM_WORLD));
    if (world_rank() != 0) return;
    EXPECT_EQ(std::remove(kName), 0);
    EXPECT_EQ(chdir(before_.c_str()), 0);
    EXPECT_EQ(rmdir(folder_.c_str()), 0);
  }
  TableOfRankZero(const TableOfRankZero&) = delete;
  TableOfRankZero& operator=(const TableOfRankZero&) = delete;

  static constexpr const char* kName = "node.txt";

 private:
  std::string before_, folder_;
};

testing::AssertionResult works(const Comm& comm) {
  const std::vector<float> ones(100, 1);
  std::vector<float> recv(100);
  const int code = sum(ones.data(), recv.data(), 100, comm.get());
  if (code != MPI_SUCCESS) return succeeded(code);
  if (recv == std::vector<float>(100, static_cast<float>(comm.size()))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "sum of ones is " << recv.front();
}

TEST(TuningFile, IsReadByRankZeroAlone) {
  const TableOfRankZero table(kTable);
  const Comm comm;
  EXPECT_EQ(setting_of(comm.get(), "tuning"), "auto");
  EXPECT_TRUE(succeeded(set_settings(comm.get(), {{"tuning", table.kName}})));
  EXPECT_EQ(setting_of(comm.get(), "tuning"), table.kName);
  EXPECT_TRUE(works(comm));
  EXPECT_TRUE(succeeded(set_settings(comm.get(), {{"tuning", "auto"}})));
  EXPECT_EQ(setting_of(comm.get(), "tuning"), "auto");
  EXPECT_TRUE(works(comm));
}

TEST(TuningFile, IsReadFromTheEnvironment) {
  const TableOfRankZero table(kTable);
  const ScopedEnv variable("QR_MPI_TUNING", table.kName);
  const Comm comm;
  EXPECT_EQ(setting_of(comm.get(), "tuning"), table.kName);
  EXPECT_TRUE(works(comm));
}

TEST(TuningFile, ThatIsMissingIsAnErrorOnAllRanks) {
  const Comm comm;
  {
    const ScopedEnv variable("QR_MPI_TUNING", "/not/there.txt");
    std::vector<float> ones(10, 1), recv(10);
    EXPECT_TRUE(failed_with(sum(ones.data(), recv.data(), 10, comm.get()), QR_MPI_ERR_CONFIG));
    for (const char* part : {"rank 0", "/not/there.txt", "No such file", "QR_MPI_TUNING"})
      EXPECT_TRUE(last_error_says(part));
  }
  EXPECT_TRUE(works(comm)) << "once the variable is gone";
}

TEST(TuningFile, ThatIsWrongChangesNothing) {
  const TableOfRankZero table(std::string(kTable) + "colour red\n");
  const Comm comm;
  use(comm.get(), {{"codec", "int8"}});
  EXPECT_TRUE(
      failed_with(set_settings(comm.get(), {{"tuning", table.kName}, {"codec", "int4"}}), QR_MPI_ERR_CONFIG));
  for (const char* part : {"rank 0", "node.txt, line 22", "there is no key \"colour\"", "qr_mpi_tune"})
    EXPECT_TRUE(last_error_says(part));
  EXPECT_EQ(setting_of(comm.get(), "tuning"), "auto");
  EXPECT_EQ(setting_of(comm.get(), "codec"), "int8");
  EXPECT_TRUE(works(comm));
}

TEST(TuningFile, MustBeTheSameOnAllRanks) {
  if (world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const TableOfRankZero table(kTable);
  const Comm comm;
  const bool odd_one = comm.rank() == comm.size() - 1;
  EXPECT_TRUE(
      failed_with(set_settings(comm.get(), {{"tuning", odd_one ? "auto" : table.kName}}), QR_MPI_ERR_CONFIG));
  EXPECT_TRUE(last_error_says("setting tuning differs between ranks"));
  EXPECT_EQ(setting_of(comm.get(), "tuning"), "auto");
  EXPECT_TRUE(works(comm));
}

/// Host memory has no table, and says so.
TEST(TuningFile, PredictionsAreOfDeviceMemory) {
  const Comm comm;
  use(comm.get(), {{"algorithm", "mpi"}});
  const char *form = nullptr, *text = nullptr;
  double us = -1;
  EXPECT_TRUE(
      succeeded(qr_mpi_comm_prediction_on_device(comm.get(), 1000, MPI_FLOAT, MPI_SUM, &form, &us, &text)));
  EXPECT_STREQ(form, "");
  EXPECT_STREQ(text, "");
  EXPECT_EQ(us, 0);
  EXPECT_TRUE(succeeded(
      qr_mpi_comm_prediction_on_device(comm.get(), 1000, MPI_FLOAT, MPI_SUM, nullptr, nullptr, nullptr)));
}

}  // namespace
}  // namespace qr_test
