// A vector in device memory, for the .hip files of the examples.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime.hpp"

namespace examples {

template <class Value>
class DeviceVector {
 public:
  /// All bits zero.
  explicit DeviceVector(std::size_t size) : size_(size) {
    void* address = nullptr;
    check_gpu(hipMalloc(&address, bytes() > 0 ? bytes() : 1));
    data_ = static_cast<Value*>(address);
    clear();
  }
  explicit DeviceVector(const std::vector<Value>& values) : DeviceVector(values.size()) { set(values); }
  ~DeviceVector() { static_cast<void>(hipFree(data_)); }
  DeviceVector(DeviceVector&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceVector& operator=(DeviceVector&&) = delete;

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }

  // These wait until it is done: a stream of its own would not wait for the end of a copy from host memory.
  void clear() {
    check_gpu(hipMemset(data_, 0, bytes()));
    check_gpu(hipDeviceSynchronize());
  }
  void set(const std::vector<Value>& values) {
    if (values.size() != size_) throw std::runtime_error("a device vector has another length");
    check_gpu(hipMemcpy(data_, values.data(), bytes(), hipMemcpyHostToDevice));
    check_gpu(hipDeviceSynchronize());
  }
  std::vector<Value> on_host() const {
    std::vector<Value> values(size_);
    check_gpu(hipMemcpy(values.data(), data_, bytes(), hipMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(Value); }

  Value* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace examples
