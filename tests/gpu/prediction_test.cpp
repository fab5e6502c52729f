// Plans for device memory and the tables behind them: equal on all ranks, obeyed, and never beyond what the
// arenas have room for.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "device_test.hpp"
#include "lib/backends/hip/device_place.hpp"
#include "lib/tuning.hpp"
#include "support/faults.hpp"

namespace qr_test {
namespace {

struct Prediction {
  std::string form, table;
  double us = 0;
};

Prediction predict(const Comm& comm, std::int64_t count) {
  const char *form = "", *table = "";
  double us = 0;
  EXPECT_TRUE(
      succeeded(qr_mpi_comm_prediction_on_device(comm.get(), count, MPI_FLOAT, MPI_SUM, &form, &us, &table)));
  return {form, table, us};
}

/// A file that rank 0 has, with a table.
class TableFile {
 public:
  explicit TableFile(const qr::Tuning& tuning) {
    static int number = 0;  // a setting that has the same value again changes nothing
    std::snprintf(path_, sizeof path_, "/tmp/qr_mpi_prediction_test.%d.%d", static_cast<int>(getpid()),
                  number++);
    must(MPI_Bcast(path_, sizeof path_, MPI_CHAR, 0, MPI_COMM_WORLD));
    if (world_rank() != 0) return;
    std::FILE* const file = std::fopen(path_, "w");
    EXPECT_NE(file, nullptr);
    if (file == nullptr) return;
    EXPECT_GE(std::fputs(qr::format_tuning(tuning).c_str(), file), 0);
    EXPECT_EQ(std::fclose(file), 0);
  }
  ~TableFile() {
    if (world_rank() == 0) std::remove(path_);
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  [[nodiscard]] const char* path() const { return path_; }

 private:
  char path_[64];
};

/// In the middle of a range of sizes around the largest flagged exchange, every result is right.
void expect_right_sums(const Comm& comm) {
  for (const std::int64_t count : {1, 1000, 65'536, 131'072, 262'144, 262'145, 600'000}) {
    const DeviceArray<float> values(rank_values(count, world_rank()));
    ASSERT_TRUE(succeeded(reduce_floats(in_place(), values.data(), count, comm.get())));
    ASSERT_EQ(values.read(), rank_sums(count, world_size())) << count;
  }
}

class Predictions : public DeviceTest {
 protected:
  /// False where device memory goes through host memory: there is nothing to predict.
  static bool has_arenas(const Comm& comm) { return !predict(comm, 1000).form.empty(); }
};

TEST_F(Predictions, AreEqualOnAllRanks) {
  const Comm comm;
  if (!has_arenas(comm)) GTEST_SKIP() << "device memory goes through host memory";
  use(comm.get(), {{"codec", "auto"}});
  for (std::int64_t count = 1; count < (std::int64_t{1} << 34); count = count * 3 + 1) {
    const Prediction mine = predict(comm, count);
    EXPECT_GT(mine.us, 0);
    std::int64_t bits = 0;
    std::memcpy(&bits, &mine.us, sizeof bits);
    const auto all = gather_numbers(bits, comm.get());
    for (const std::int64_t other : all) EXPECT_EQ(other, bits) << count;
    EXPECT_TRUE(mine.form == "flagged" || mine.form == "exchange" || mine.form == "two_shot") << mine.form;
  }
  EXPECT_NE(predict(comm, 1000).table.find("(built in"), std::string::npos);
}

TEST_F(Predictions, FollowTheFileOfRankZero) {
  const Comm comm;
  if (!has_arenas(comm)) GTEST_SKIP() << "device memory goes through host memory";
  qr::Tuning tuning = qr::built_in_tuning(qr::device_name(device()));
  std::strcpy(tuning.name, "made-up");
  tuning.exchange = tuning.two_shot = {1e5, 1e5, 0};
  {
    const TableFile file(tuning);
    use(comm.get(), {{"tuning", file.path()}});
    const Prediction prediction = predict(comm, 1000);
    EXPECT_EQ(prediction.table, std::string("made-up (file ") + file.path() + ")");
    EXPECT_EQ(prediction.form, "flagged");
    // Flagged as far as the arenas go, and then not: 1 MiB of floats between two ranks at most.
    EXPECT_NE(predict(comm, 1 << 20).form, "flagged");
    expect_right_sums(comm);
  }
  tuning.flagged_blocks = 0;
  tuning.exchange = {1, 1, 0};
  {
    const TableFile file(tuning);
    use(comm.get(), {{"tuning", file.path()}});
    EXPECT_EQ(predict(comm, 1000).form, "exchange");
    expect_right_sums(comm);
  }
  tuning.two_shot = {0, 0, 0};
  {
    const TableFile file(tuning);
    use(comm.get(), {{"tuning", file.path()}});
    EXPECT_EQ(predict(comm, 1000).form, "two_shot");
    use(comm.get(), {{"algorithm", "exchange"}});
    EXPECT_EQ(predict(comm, 1000).form, "exchange");
  }
  use(comm.get(), {{"tuning", "auto"}});
  EXPECT_NE(predict(comm, 1000).table.find("(built in"), std::string::npos);
  expect_right_sums(comm);
}

}  // namespace
}  // namespace qr_test
