// main of every MPI test: GoogleTest on all ranks, one voice, and one verdict that all ranks share.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#include "mpi_check.hpp"
#include "outside_mpi.hpp"
#include "watchdog.hpp"

namespace qr_test {

namespace {

std::vector<std::pair<Moment, OutsideCheck>>& outside_checks() {
  static std::vector<std::pair<Moment, OutsideCheck>> checks;
  return checks;
}

/// Ends every test with a collective that asks whether anyone failed, so that ranks stay in step and all of
/// them know. One reduction a test, not one an assertion: ranks may fail a different number of times.
class Verdict : public testing::EmptyTestEventListener {
 public:
  Verdict() { must(MPI_Comm_dup(MPI_COMM_WORLD, &comm_)); }
  void free() { must(MPI_Comm_free(&comm_)); }

  void OnTestStart(const testing::TestInfo& info) override {
    name_ = std::string(info.test_suite_name()) + "." + info.name();
    watch(name_.c_str());
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    // Rank 0 has GoogleTest's own printer.
    if (!result.failed() || world_rank() == 0) return;
    std::fprintf(stderr, "[rank %d] %s:%d: Failure in %s\n%s\n", world_rank(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 name_.c_str(), result.message());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const bool failed = info.result()->Failed();
    if (!on_all_ranks(!failed, comm_) && !failed) ADD_FAILURE() << "failed on another rank";
    stop_watching();
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string name_;
};

int report(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures)
    std::fprintf(stderr, "FAILED outside MPI: %s\n", failure.c_str());
  return failures.empty() ? 0 : 1;
}

}  // namespace

bool at_moment(Moment moment, OutsideCheck check) {
  outside_checks().emplace_back(moment, check);
  return true;
}

std::vector<std::string> run_outside_checks(Moment moment) {
  std::vector<std::string> failures;
  for (const auto& [when, check] : outside_checks()) {
    if (when != moment) continue;
    if (std::string failure = check(); !failure.empty()) failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace qr_test

int main(int argc, char** argv) {
  using namespace qr_test;
  int failed = report(run_outside_checks(Moment::kBeforeInit));

  int provided = MPI_THREAD_SINGLE;
  must(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world_rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    testing::GTEST_FLAG(output) = "";  // one report file, rank 0's
  }
  auto* verdict = new Verdict;  // owned by GoogleTest
  listeners.Append(verdict);

  failed |= RUN_ALL_TESTS();
  verdict->free();
  must(MPI_Finalize());
  failed |= report(run_outside_checks(Moment::kAfterFinalize));
  return failed;
}
