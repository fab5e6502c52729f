// The log: nothing at 0, nothing for what is ordinary at 1, a line a communicator at 2, a line a call at 3;
// on stderr, with the library's name and the rank.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

/// What this process writes to stderr while it lives.
class Captured {
 public:
  Captured() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    if (file_ == nullptr || before_ < 0 || dup2(fileno(file_), STDERR_FILENO) < 0)
      ADD_FAILURE() << "no capture";
  }
  ~Captured() {
    restore();
    if (file_ != nullptr) std::fclose(file_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  /// The lines that the library wrote. Ends the capture.
  std::vector<std::string> lines() {
    restore();
    std::vector<std::string> found;
    char line[1024];
    std::rewind(file_);
    while (std::fgets(line, sizeof(line), file_) != nullptr) {
      if (std::string(line).starts_with("qr_mpi")) found.emplace_back(line);
    }
    return found;
  }

 private:
  void restore() {
    if (before_ < 0) return;
    std::fflush(stderr);
    if (dup2(before_, STDERR_FILENO) < 0 || close(before_) != 0) std::perror("restoring stderr");
    before_ = -1;
  }
  std::FILE* file_;
  int before_;
};

/// Lines for the set-up of a communicator and three calls on it.
std::vector<std::string> lines_at(const char* level) {
  const ScopedEnv log("QR_MPI_LOG", level);
  Captured captured;
  {
    const Comm comm;
    const std::vector<float> ones(100, 1);
    std::vector<float> recv(100);
    for (int call = 0; call < 3; ++call)
      EXPECT_EQ(sum(ones.data(), recv.data(), 100, comm.get()), MPI_SUCCESS);
  }
  return captured.lines();
}

TEST(Log, IsSilentByDefaultAndAtZero) {
  for (const char* level : {"0", "1"}) {
    const std::vector<std::string> lines = lines_at(level);
    EXPECT_TRUE(lines.empty()) << lines.front();
  }
}

TEST(Log, SaysOneLineACommunicator) {
  const std::vector<std::string> lines = lines_at("2");
  const bool speaker = world_size() > 1 && world_rank() == 0;
  ASSERT_EQ(lines.size(), speaker ? 1U : 0U);
  if (speaker) {
    EXPECT_NE(lines[0].find(std::to_string(world_size()) + " ranks"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("rank 0"), std::string::npos) << lines[0];
  }
}

TEST(Log, SaysOneLineACall) {
  const std::vector<std::string> lines = lines_at("3");
  std::size_t calls = 0;
  for (const std::string& line : lines)
    calls += line.find("100 elements of float32, sum") != std::string::npos;
  EXPECT_EQ(calls, 3U);
  for (const std::string& line : lines) {
    EXPECT_NE(line.find("rank " + std::to_string(world_rank())), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace qr_test
