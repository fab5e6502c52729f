// The element types, reduction operations and small integers that kernels and host code share.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIP__)
#define QR_DEVICE __host__ __device__
/// Before a loop that is to stay one on a GPU: copies of its body would not fit the instruction cache.
#define QR_ROLLED _Pragma("unroll 1")
#else
#define QR_DEVICE
#define QR_ROLLED
#endif

namespace qr {

/// Element type of the user's buffers.
enum class DataType : std::int32_t { kFloat16, kBFloat16, kFloat32, kFloat64 };
inline constexpr int kDataTypeCount = 4;

/// Reduction operation. Lossy codecs know kSum only; `raw` knows all four.
enum class ReduceOp : std::int32_t { kSum, kProd, kMin, kMax };
inline constexpr int kReduceOpCount = 4;

/// How the bytes travel. kMpi is the fallback: the data goes through MPI_Allreduce.
enum class Algorithm : std::int32_t { kMpi, kExchange, kTwoShot };
inline constexpr int kAlgorithmCount = 3;

/// Number of a signal: one counter for each block, advanced by one for each signal posted, never reset.
/// It wraps around; compare with not_before().
using Epoch = std::uint32_t;

/// True when `seen` is `wanted` or a later epoch (less than 2^31 later).
QR_DEVICE constexpr bool not_before(Epoch seen, Epoch wanted) {
  return static_cast<std::int32_t>(seen - wanted) >= 0;
}

constexpr std::size_t element_bytes(DataType type) {
  switch (type) {
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return 2;
    case DataType::kFloat32:
      return 4;
    case DataType::kFloat64:
      return 8;
  }
  return 0;
}

constexpr const char* name_of(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return "float16";
    case DataType::kBFloat16:
      return "bfloat16";
    case DataType::kFloat32:
      return "float32";
    case DataType::kFloat64:
      return "float64";
  }
  return "?";
}

constexpr const char* name_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return "sum";
    case ReduceOp::kProd:
      return "prod";
    case ReduceOp::kMin:
      return "min";
    case ReduceOp::kMax:
      return "max";
  }
  return "?";
}

constexpr const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kMpi:
      return "mpi";
    case Algorithm::kExchange:
      return "exchange";
    case Algorithm::kTwoShot:
      return "two_shot";
  }
  return "?";
}

}  // namespace qr
