// NCCL or RCCL as a rival, loaded when the program runs: neither is needed to build it.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <memory>
#include <string>

#include "device.hpp"
#include "elements.hpp"
#include "operations.hpp"

namespace qr::bench {

class Nccl {
 public:
  /// Collective. `library`: a file, or empty for the usual names. Where there is no NCCL, or it refuses these
  /// ranks, absent() says why, alike on all of them.
  Nccl(const std::string& library, const Device& device, MPI_Comm comm);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  [[nodiscard]] bool there() const { return absent_.empty(); }
  [[nodiscard]] const std::string& absent() const { return absent_; }
  /// "NCCL 2.28.9", "RCCL 2.22.3".
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Queues an all-reduce on `stream`. Throws std::runtime_error.
  void allreduce(const void* send, void* recv, std::int64_t count, Element element, Operation operation,
                 hipStream_t stream) const;

 private:
  struct Api;
  void open(const std::string& library);
  void connect(MPI_Comm comm);

  std::unique_ptr<Api> api_;
  void* comm_ = nullptr;
  std::string absent_, name_;
};

/// "NCCL", or "RCCL" in a build for AMD.
const char* nccl_name();

/// Its variables in this process' environment: "NCCL_A=1 NCCL_B=2". They decide how fast it is.
std::string nccl_settings();

}  // namespace qr::bench
