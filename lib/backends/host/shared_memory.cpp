// System calls behind shared_memory.hpp.
#include "lib/backends/host/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lib/status.hpp"

namespace qr {

namespace {

[[noreturn]] void fail(const std::string& what, int error, const char* hint = "") {
  throw Error(Status::kSystem, what + ": " + std::strerror(error) + hint);
}

std::string size_text(std::size_t bytes) { return std::to_string(bytes >> 10) + " KiB"; }

/// Files above the limit (ulimit -f) are not refused: the kernel stops the process with SIGXFSZ.
void require_file_size(std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) fail("cannot read the limit on file sizes", errno);
  if (limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
    fail("cannot create " + size_text(bytes) + " of shared memory", EFBIG,
         " (raise ulimit -f, or lower QR_MPI_ARENA_BYTES)");
  }
}

/// Reserves every page now, so that too little memory is an error code here and not a signal in the middle of
/// a call.
void reserve(const FileDescriptor& fd, std::size_t bytes, const std::string& where) {
  require_file_size(bytes);
  int error = 0;
  do {
    error = posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) {
    fail("cannot reserve " + size_text(bytes) + " of shared memory in " + where, error,
         " (give it more room, or lower QR_MPI_ARENA_BYTES)");
  }
}

void expect_size(const FileDescriptor& fd, std::size_t bytes, const std::string& what) {
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) fail("cannot inspect " + what, errno);
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) != bytes) {
    throw Error(Status::kSystem, what + " is not the peer's arena: it has another kind or size");
  }
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);  // nothing was written through it: a failing close loses nothing
}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}
TemporaryName::~TemporaryName() {
  if (!path_.empty()) unlink(path_.c_str());
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
Mapping::~Mapping() {
  if (address_ != nullptr) munmap(address_, bytes_);
}

FileDescriptor create_anonymous(std::size_t bytes) {
  FileDescriptor fd(memfd_create("qr_mpi", MFD_CLOEXEC));
  if (fd.get() < 0) fail("cannot create anonymous shared memory", errno);
  reserve(fd, bytes, "anonymous memory");
  return fd;
}

FileDescriptor create_file(const std::string& directory, std::size_t bytes, TemporaryName& name) {
  const Nonce random = draw_nonce();
  char text[48];
  std::snprintf(text, sizeof(text), "/qr_mpi-%016llx%016llx", static_cast<unsigned long long>(random.half[0]),
                static_cast<unsigned long long>(random.half[1]));
  const std::string path = directory + text;
  FileDescriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fd.get() < 0) fail("cannot create shared memory file " + path, errno);
  name = TemporaryName(path);
  reserve(fd, bytes, directory);
  return fd;
}

FileDescriptor open_of_process(pid_t pid, int fd, std::size_t bytes) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  // Looked at before it is opened: in another process namespace the number may be anything, and opening may
  // have effects.
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) fail("cannot reach the peer's memory at " + path, errno);
  if (!S_ISREG(status.st_mode)) throw Error(Status::kSystem, path + " is not the peer's arena");
  return open_file(path, bytes);
}

FileDescriptor open_file(const std::string& path, std::size_t bytes) {
  FileDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (fd.get() < 0) fail("cannot open the peer's memory at " + path, errno);
  expect_size(fd, bytes, path);
  return fd;
}

Mapping map_shared(const FileDescriptor& fd, std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) fail("cannot map " + size_text(bytes) + " of shared memory", errno);
  return {address, bytes};
}

Nonce draw_nonce() {
  Nonce nonce{};
  auto* bytes = reinterpret_cast<char*>(&nonce);
  std::size_t have = 0;
  while (have < sizeof(nonce)) {
    const ssize_t got = getrandom(bytes + have, sizeof(nonce) - have, 0);
    if (got < 0 && errno != EINTR) fail("cannot draw random bits", errno);
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return nonce;
}

}  // namespace qr
