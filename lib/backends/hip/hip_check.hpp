// Return codes of HIP as errors of the library.
#pragma once

#include <hip/hip_runtime.h>

#include <string>

#include "lib/status.hpp"

namespace qr {

/// Throws Error(kSystem) saying what was tried and what HIP said, if `error` is one. The sticky error is
/// cleared, so that the application does not find ours.
inline void hip_check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  (void)hipGetLastError();
  throw Error(Status::kSystem, std::string("cannot ") + what + ": " + hipGetErrorName(error) + ", " +
                                   hipGetErrorString(error));
}

/// For clean-up, where nothing can be done about a failure.
inline void hip_ignore(hipError_t error) {
  if (error != hipSuccess) (void)hipGetLastError();
}

}  // namespace qr
