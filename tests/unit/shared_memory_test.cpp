// Shared memory that cannot be had: an error that says why, and never a signal.
#include "lib/backends/host/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "lib/status.hpp"

namespace qr::test {
namespace {

constexpr std::size_t kBytes = 1 << 20;

/// While it lives, this process may write no file longer than `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit lower = before_;
    lower.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &lower), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0); }

 private:
  rlimit before_{};
};

template <class Create>
std::string refusal(const Create& create) {
  try {
    create();
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kSystem);
    return error.what();
  }
}

std::string refusal_of_anonymous() {
  return refusal([] { create_anonymous(kBytes); });
}

std::string refusal_of_file() {
  return refusal([] {
    TemporaryName name;
    create_file("/dev/shm", kBytes, name);
  });
}

/// The kernel would stop the process with SIGXFSZ.
TEST(SharedMemory, AboveTheLimitOnFilesIsAnError) {
  const FileSizeLimit limit(kBytes - 1);
  for (const std::string& text : {refusal_of_anonymous(), refusal_of_file()}) {
    EXPECT_NE(text.find("1024 KiB"), std::string::npos) << text;
    EXPECT_NE(text.find("ulimit -f"), std::string::npos) << text;
  }
}

TEST(SharedMemory, AtTheLimitOnFilesIsNone) {
  const FileSizeLimit limit(kBytes);
  EXPECT_EQ(refusal_of_anonymous(), "");
  EXPECT_EQ(refusal_of_file(), "");
}

}  // namespace
}  // namespace qr::test
