// Buffers with guard words before and after, at any offset of elements or bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace qr_test {

/// `count` elements that start `offset` elements (and `odd_bytes` bytes) after a 64-byte boundary, between
/// guards.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::int64_t count, std::int64_t offset = 0, std::size_t odd_bytes = 0)
      : count_(count), storage_(kGuard + kGuard + 64 + bytes(offset) + odd_bytes + bytes(count), kUnwritten) {
    const std::size_t misfit = reinterpret_cast<std::uintptr_t>(storage_.data()) % 64;
    begin_ = kGuard + (64 - misfit) % 64 + bytes(offset) + odd_bytes;
    for_guards([this](std::size_t at) {
      storage_[at] = guard_at(at);
      return true;
    });
  }

  T* data() { return reinterpret_cast<T*>(storage_.data() + begin_); }
  const T* data() const { return reinterpret_cast<const T*>(storage_.data() + begin_); }
  [[nodiscard]] std::int64_t count() const { return count_; }
  T& operator[](std::int64_t index) { return data()[index]; }
  const T& operator[](std::int64_t index) const { return data()[index]; }

  void assign(const T* values) {
    if (count_ > 0) std::memcpy(storage_.data() + begin_, values, bytes(count_));
  }

  /// What lies around the elements is as it was made.
  [[nodiscard]] testing::AssertionResult guards_intact() const {
    std::ptrdiff_t hit = 0;
    bool intact = true;
    for_guards([&](std::size_t at) {
      intact = storage_[at] == guard_at(at);
      hit = static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(begin_);
      return intact;
    });
    if (intact) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the byte " << hit << " from the start of a buffer of "
                                       << bytes(count_) << " bytes was overwritten";
  }

  [[nodiscard]] testing::AssertionResult holds(const T* values) const {
    if (count_ == 0 || std::memcmp(data(), values, bytes(count_)) == 0) return testing::AssertionSuccess();
    std::int64_t index = 0;
    while (std::memcmp(data() + index, values + index, sizeof(T)) == 0) ++index;
    return testing::AssertionFailure() << "element " << index << " of " << count_ << " differs";
  }

 private:
  static constexpr std::size_t kGuard = 128;
  static constexpr unsigned char kUnwritten = 0x5B;  // a large number in every type: elements left out show

  static constexpr std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  static unsigned char guard_at(std::size_t at) { return static_cast<unsigned char>(0xA5 ^ at * 37); }

  /// f(place) for the bytes around the elements, until it returns false.
  template <class F>
  void for_guards(F&& f) const {
    for (std::size_t at = 0; at < begin_; ++at) {
      if (!f(at)) return;
    }
    for (std::size_t at = begin_ + bytes(count_); at < storage_.size(); ++at) {
      if (!f(at)) return;
    }
  }

  std::int64_t count_;
  std::vector<unsigned char> storage_;
  std::size_t begin_;
};

}  // namespace qr_test
