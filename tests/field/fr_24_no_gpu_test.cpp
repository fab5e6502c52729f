// FR-24, host part: the library loads and works where no GPU can be seen, and asks for no GPU driver.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// Whether a library of that name is mapped into this process.
bool is_loaded(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

TEST(Fr24NoGpu, HostBuffersWorkWithNoVisibleDevice) {
  const ScopedEnv hip("HIP_VISIBLE_DEVICES", ""), rocr("ROCR_VISIBLE_DEVICES", ""),
      cuda("CUDA_VISIBLE_DEVICES", "");
  const Comm comm;
  std::vector<float> ones(10'000, 1), recv(10'000);
  EXPECT_TRUE(succeeded(sum(ones.data(), recv.data(), 10'000, comm.get())));
  EXPECT_EQ(recv, std::vector<float>(10'000, static_cast<float>(comm.size())));
  const Plan plan = plan_of(comm.get(), 10'000, MPI_FLOAT);
  if (comm.size() > 1) {
    EXPECT_NE(plan.algorithm, "mpi") << plan.reason;
  }
}

TEST(Fr24NoGpu, NoDriverIsLoadedForThem) {
  ASSERT_TRUE(is_loaded("libqr_mpi.so") || is_loaded("fr_24_no_gpu_test"));
  for (const char* driver : {"libcuda.so", "libhsa-runtime64.so"}) EXPECT_FALSE(is_loaded(driver)) << driver;
}

}  // namespace
}  // namespace qr_test
