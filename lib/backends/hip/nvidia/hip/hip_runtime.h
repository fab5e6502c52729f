/* The HIP names that this library uses, as CUDA's. On the include path for QR_GPU=nvidia only, in the place
 * of HIP's own header; a ROCm installation's NVIDIA headers may be used instead (QR_HIP_INCLUDE). */
#pragma once

#include <cuda_runtime_api.h>

using hipError_t = cudaError_t;
using hipEvent_t = cudaEvent_t;
using hipStream_t = cudaStream_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipIpcMemHandle_t = cudaIpcMemHandle_t;
using hipMemcpyKind = cudaMemcpyKind;
using hipPointerAttribute_t = cudaPointerAttributes;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
using hipDeviceAttribute_t = cudaDeviceAttr;
using hipDeviceProp_t = cudaDeviceProp;

inline constexpr auto hipSuccess = cudaSuccess;
inline constexpr auto hipErrorNotReady = cudaErrorNotReady;
inline constexpr auto hipErrorInvalidValue = cudaErrorInvalidValue;
inline constexpr auto hipErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;
inline constexpr auto hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr auto hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr auto hipMemcpyDefault = cudaMemcpyDefault;
inline constexpr auto hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr auto hipMemoryTypeHost = cudaMemoryTypeHost;
inline constexpr auto hipMemoryTypeDevice = cudaMemoryTypeDevice;
inline constexpr auto hipMemoryTypeManaged = cudaMemoryTypeManaged;
inline constexpr auto hipMemoryTypeUnregistered = cudaMemoryTypeUnregistered;
inline constexpr auto hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone;
inline constexpr auto hipStreamCaptureModeThreadLocal = cudaStreamCaptureModeThreadLocal;
inline constexpr auto hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;
inline constexpr auto hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = cudaIpcMemLazyEnablePeerAccess;
inline constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
inline constexpr unsigned hipEventDefault = cudaEventDefault;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;
inline constexpr unsigned hipHostMallocMapped = cudaHostAllocMapped;
inline constexpr unsigned hipHostMallocDefault = cudaHostAllocDefault;
inline constexpr unsigned hipMemAttachGlobal = cudaMemAttachGlobal;

inline const char* hipGetErrorName(hipError_t e) { return cudaGetErrorName(e); }
inline const char* hipGetErrorString(hipError_t e) { return cudaGetErrorString(e); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipPeekAtLastError() { return cudaPeekAtLastError(); }

inline hipError_t hipGetDeviceCount(int* n) { return cudaGetDeviceCount(n); }
inline hipError_t hipGetDevice(int* d) { return cudaGetDevice(d); }
inline hipError_t hipSetDevice(int d) { return cudaSetDevice(d); }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipDeviceGetPCIBusId(char* s, int n, int d) { return cudaDeviceGetPCIBusId(s, n, d); }
inline hipError_t hipDeviceGetAttribute(int* v, hipDeviceAttribute_t a, int d) {
  return cudaDeviceGetAttribute(v, a, d);
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) { return cudaGetDeviceProperties(p, d); }
inline hipError_t hipRuntimeGetVersion(int* v) { return cudaRuntimeGetVersion(v); }
inline hipError_t hipDriverGetVersion(int* v) { return cudaDriverGetVersion(v); }
inline hipError_t hipDeviceEnablePeerAccess(int d, unsigned f) { return cudaDeviceEnablePeerAccess(d, f); }

inline hipError_t hipMalloc(void** p, size_t n) { return cudaMalloc(p, n); }
inline hipError_t hipMallocAsync(void** p, size_t n, hipStream_t s) { return cudaMallocAsync(p, n, s); }
inline hipError_t hipFreeAsync(void* p, hipStream_t s) { return cudaFreeAsync(p, s); }
inline hipError_t hipMallocManaged(void** p, size_t n, unsigned f) { return cudaMallocManaged(p, n, f); }
inline hipError_t hipMemGetInfo(size_t* free, size_t* all) { return cudaMemGetInfo(free, all); }
inline hipError_t hipFree(void* p) { return cudaFree(p); }
inline hipError_t hipHostMalloc(void** p, size_t n, unsigned f) { return cudaHostAlloc(p, n, f); }
inline hipError_t hipHostFree(void* p) { return cudaFreeHost(p); }
inline hipError_t hipHostGetDevicePointer(void** d, void* h, unsigned f) {
  return cudaHostGetDevicePointer(d, h, f);
}
inline hipError_t hipMemset(void* p, int v, size_t n) { return cudaMemset(p, v, n); }
inline hipError_t hipMemsetAsync(void* p, int v, size_t n, hipStream_t s) {
  return cudaMemsetAsync(p, v, n, s);
}
inline hipError_t hipMemcpy(void* d, const void* s, size_t n, hipMemcpyKind k) {
  return cudaMemcpy(d, s, n, k);
}
inline hipError_t hipMemcpyAsync(void* d, const void* s, size_t n, hipMemcpyKind k, hipStream_t stream) {
  return cudaMemcpyAsync(d, s, n, k, stream);
}
inline hipError_t hipPointerGetAttributes(hipPointerAttribute_t* a, const void* p) {
  return cudaPointerGetAttributes(a, p);
}

inline hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* h, void* p) { return cudaIpcGetMemHandle(h, p); }
inline hipError_t hipIpcOpenMemHandle(void** p, hipIpcMemHandle_t h, unsigned f) {
  return cudaIpcOpenMemHandle(p, h, f);
}
inline hipError_t hipIpcCloseMemHandle(void* p) { return cudaIpcCloseMemHandle(p); }

inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned f) {
  return cudaStreamCreateWithFlags(s, f);
}
inline hipError_t hipStreamDestroy(hipStream_t s) { return cudaStreamDestroy(s); }
inline hipError_t hipStreamSynchronize(hipStream_t s) { return cudaStreamSynchronize(s); }
inline hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned f) {
  return cudaStreamWaitEvent(s, e, f);
}
inline hipError_t hipStreamIsCapturing(hipStream_t s, hipStreamCaptureStatus* c) {
  return cudaStreamIsCapturing(s, c);
}
inline hipError_t hipEventCreateWithFlags(hipEvent_t* e, unsigned f) {
  return cudaEventCreateWithFlags(e, f);
}
inline hipError_t hipEventDestroy(hipEvent_t e) { return cudaEventDestroy(e); }
inline hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) { return cudaEventRecord(e, s); }
inline hipError_t hipEventQuery(hipEvent_t e) { return cudaEventQuery(e); }
inline hipError_t hipEventSynchronize(hipEvent_t e) { return cudaEventSynchronize(e); }
inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) {
  return cudaEventElapsedTime(ms, a, b);
}

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

using hipFuncAttributes = cudaFuncAttributes;
inline hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* f) {
  return cudaFuncGetAttributes(attributes, f);
}
using hipFuncAttribute = cudaFuncAttribute;
inline constexpr auto hipFuncAttributePreferredSharedMemoryCarveout =
    cudaFuncAttributePreferredSharedMemoryCarveout;
inline hipError_t hipFuncSetAttribute(const void* f, hipFuncAttribute a, int v) {
  return cudaFuncSetAttribute(f, a, v);
}
inline hipError_t hipLaunchKernel(const void* f, dim3 grid, dim3 block, void** args, size_t shared,
                                  hipStream_t s) {
  return cudaLaunchKernel(f, grid, block, args, shared, s);
}
