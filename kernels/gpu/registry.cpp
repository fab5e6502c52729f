// The GPU kernels by codec, element type and operation, in the order of kernels/registry.cpp. Filled from
// codec_list.hpp.
#include <array>

#include "codec_list.hpp"
#include "kernels/gpu/gpu_kernels.hpp"

namespace qr {

namespace gpu {
#define QR_DECLARE(name, Codec)         \
  GpuKernels name##_Float16_kernels();  \
  GpuKernels name##_BFloat16_kernels(); \
  GpuKernels name##_Float32_kernels();
QR_BLOCK_CODECS(QR_DECLARE)
#undef QR_DECLARE
GpuKernels raw_Float16_kernels(ReduceOp op);
GpuKernels raw_BFloat16_kernels(ReduceOp op);
GpuKernels raw_Float32_kernels(ReduceOp op);
GpuKernels raw_Float64_kernels(ReduceOp op);
}  // namespace gpu

namespace {

constexpr std::size_t kBlockTypes = 3;  // float16, bfloat16, float32, in the order of DataType

using RawTable = std::array<std::array<GpuKernels, kReduceOpCount>, kDataTypeCount>;

RawTable make_raw_table() {
  RawTable table;
  for (std::size_t op = 0; op < kReduceOpCount; ++op) {
    table[0][op] = gpu::raw_Float16_kernels(static_cast<ReduceOp>(op));
    table[1][op] = gpu::raw_BFloat16_kernels(static_cast<ReduceOp>(op));
    table[2][op] = gpu::raw_Float32_kernels(static_cast<ReduceOp>(op));
    table[3][op] = gpu::raw_Float64_kernels(static_cast<ReduceOp>(op));
  }
  return table;
}

}  // namespace

const GpuKernels* gpu_kernels(int codec, DataType type, ReduceOp op) {
#define QR_ROW(name, Codec) \
  {gpu::name##_Float16_kernels(), gpu::name##_BFloat16_kernels(), gpu::name##_Float32_kernels()},
  static const GpuKernels block_table[][kBlockTypes] = {QR_BLOCK_CODECS(QR_ROW)};
#undef QR_ROW
  static const RawTable raw_table = make_raw_table();
  const auto type_index = static_cast<std::size_t>(type);
  if (codec < 0 || codec > static_cast<int>(std::size(block_table))) return nullptr;
  if (codec == 0) return &raw_table[type_index][static_cast<std::size_t>(op)];
  if (op != ReduceOp::kSum || type_index >= kBlockTypes) return nullptr;
  return &block_table[codec - 1][type_index];
}

}  // namespace qr
