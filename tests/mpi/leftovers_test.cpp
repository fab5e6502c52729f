// Nothing is left in the file system: not while communicators live, and not however the program ends. The
// ends that no test survives are asked for by QR_TEST_END, which leftovers_test.sh sets.
#include <gtest/gtest.h>
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/faults.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

void call_once(MPI_Comm comm) {
  const std::vector<float> ones(10'000, 1);
  std::vector<float> recv(10'000);
  EXPECT_TRUE(succeeded(sum(ones.data(), recv.data(), 10'000, comm)));
  EXPECT_EQ(recv, std::vector<float>(10'000, static_cast<float>(world_size())));
}

TEST(Leftovers, NoNamesStayWhileACommunicatorLives) {
  const std::set<std::string> before = names_in("/dev/shm");
  for (const char* directory : {"auto", "/dev/shm"}) {
    const ScopedEnv road("QR_MPI_SHM_DIR", directory);
    const Comm comm;
    call_once(comm.get());
    must(MPI_Barrier(MPI_COMM_WORLD));
    EXPECT_TRUE(nothing_new_in("/dev/shm", before)) << directory;
  }
}

TEST(Leftovers, EndsAsAsked) {
  const char* text = std::getenv("QR_TEST_END");
  if (text == nullptr) GTEST_SKIP() << "for leftovers_test.sh";
  const std::string end = text;
  call_once(MPI_COMM_WORLD);
  must(MPI_Barrier(MPI_COMM_WORLD));
  std::fprintf(stderr, "rank %d is ready to end: %s\n", world_rank(), text);
  must(MPI_Barrier(MPI_COMM_WORLD));
  if (end == "abort" && world_rank() == 0) must(MPI_Abort(MPI_COMM_WORLD, 3));
  if (end == "kill") (void)std::raise(SIGKILL);
  if (end == "fatal") {
    float value = 1, result = 0;
    EXPECT_NE(qr_mpi_allreduce(&value, &result, -1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    ADD_FAILURE() << "an error under MPI_ERRORS_ARE_FATAL returned";
  }
  if (end == "abort") sleep_ms(60'000);  // the abort comes first
  EXPECT_EQ(end, "normal");
}

}  // namespace
}  // namespace qr_test
