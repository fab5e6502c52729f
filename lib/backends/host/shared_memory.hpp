// Shared memory that ranks of one node map: anonymous or a file, reserved before use, gone when the last one
// unmaps it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace qr {

/// An open file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// A name in a directory that is removed when this object dies, so that nothing stays behind.
class TemporaryName {
 public:
  TemporaryName() = default;
  explicit TemporaryName(std::string path) : path_(std::move(path)) {}
  TemporaryName(TemporaryName&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryName& operator=(TemporaryName&& other) noexcept;
  ~TemporaryName();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A mapping of shared memory, readable and writable.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t bytes) : address_(address), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(address_); }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

// All of these throw Error(kSystem) with what was tried, on what, what the system said and what to do.

/// Zeroed memory without a name in any directory, all of it reserved.
FileDescriptor create_anonymous(std::size_t bytes);

/// A new zeroed file in `directory`, all of it reserved; `name` removes it.
FileDescriptor create_file(const std::string& directory, std::size_t bytes, TemporaryName& name);

/// Another process's descriptor through /proc: works where that process is visible under this number and has
/// the same user. Makes sure of nothing but the kind and the size: the caller proves what it is.
FileDescriptor open_of_process(pid_t pid, int fd, std::size_t bytes);

/// An existing file of exactly `bytes` bytes.
FileDescriptor open_file(const std::string& path, std::size_t bytes);

Mapping map_shared(const FileDescriptor& fd, std::size_t bytes);

/// 128 random bits from the kernel.
struct Nonce {
  std::uint64_t half[2];
  bool operator==(const Nonce&) const = default;
};
Nonce draw_nonce();

}  // namespace qr
