// HIP's names on both platforms, for the .hip files of the examples; and its return codes as exceptions.
#pragma once

#include <stdexcept>
#include <string>

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>

using hipDeviceProp_t = cudaDeviceProp;
using hipError_t = cudaError_t;
using hipEvent_t = cudaEvent_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipStream_t = cudaStream_t;

inline constexpr auto hipSuccess = cudaSuccess;
inline constexpr auto hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr auto hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr auto hipStreamCaptureModeThreadLocal = cudaStreamCaptureModeThreadLocal;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;

inline const char* hipGetErrorString(hipError_t e) { return cudaGetErrorString(e); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipGetDeviceCount(int* n) { return cudaGetDeviceCount(n); }
inline hipError_t hipSetDevice(int d) { return cudaSetDevice(d); }
inline hipError_t hipDeviceGetPCIBusId(char* s, int n, int d) { return cudaDeviceGetPCIBusId(s, n, d); }
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) { return cudaGetDeviceProperties(p, d); }
inline hipError_t hipMalloc(void** p, std::size_t n) { return cudaMalloc(p, n); }
inline hipError_t hipFree(void* p) { return cudaFree(p); }
inline hipError_t hipMemset(void* p, int v, std::size_t n) { return cudaMemset(p, v, n); }
inline hipError_t hipMemcpy(void* to, const void* from, std::size_t n, cudaMemcpyKind kind) {
  return cudaMemcpy(to, from, n, kind);
}
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned f) {
  return cudaStreamCreateWithFlags(s, f);
}
inline hipError_t hipStreamDestroy(hipStream_t s) { return cudaStreamDestroy(s); }
inline hipError_t hipStreamSynchronize(hipStream_t s) { return cudaStreamSynchronize(s); }
inline hipError_t hipStreamBeginCapture(hipStream_t s, cudaStreamCaptureMode m) {
  return cudaStreamBeginCapture(s, m);
}
inline hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t* g) { return cudaStreamEndCapture(s, g); }
inline hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* e, hipGraph_t g, unsigned long long f) {
  return cudaGraphInstantiateWithFlags(e, g, f);
}
inline hipError_t hipGraphLaunch(hipGraphExec_t e, hipStream_t s) { return cudaGraphLaunch(e, s); }
inline hipError_t hipGraphExecDestroy(hipGraphExec_t e) { return cudaGraphExecDestroy(e); }
inline hipError_t hipGraphDestroy(hipGraph_t g) { return cudaGraphDestroy(g); }
inline hipError_t hipEventCreate(hipEvent_t* e) { return cudaEventCreate(e); }
inline hipError_t hipEventDestroy(hipEvent_t e) { return cudaEventDestroy(e); }
inline hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) { return cudaEventRecord(e, s); }
inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) {
  return cudaEventElapsedTime(ms, a, b);
}
#endif

namespace examples {

/// Throws what went wrong, and where. The defaults are the caller's place.
inline void check_gpu(hipError_t error, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (error == hipSuccess) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + hipGetErrorString(error));
}

}  // namespace examples
