// Encoding and decoding by themselves for every codec and type: what benchmarks/isa reads instructions a
// value from.
#include "codec_list.hpp"
#include "kernels/gpu/codec_only.hpp"

namespace qr::gpu {

#define QR_INSTANTIATE_TYPE(Codec, Type)                                                 \
  template __global__ void encode_only<GpuTeam<Codec, Type>>(const GpuCall, std::byte*); \
  template __global__ void decode_only<GpuTeam<Codec, Type>>(const GpuCall, const std::byte*);
#define QR_INSTANTIATE(name, Codec)    \
  QR_INSTANTIATE_TYPE(Codec, Float16)  \
  QR_INSTANTIATE_TYPE(Codec, BFloat16) \
  QR_INSTANTIATE_TYPE(Codec, Float32)
QR_BLOCK_CODECS(QR_INSTANTIATE)

}  // namespace qr::gpu
