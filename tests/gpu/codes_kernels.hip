// The kernels behind codes_kernels.hpp.
#include "codec_list.hpp"
#include "codes_kernels.hpp"
#include "kernels/platform/gpu_block.hpp"
#include "lib/backends/hip/device_memory.hpp"

namespace qr::test {
namespace {

constexpr int kThreads = 256;
constexpr int kEight = gpu::kChunkValues;  // of a thread

template <class C, bool kSums>
__global__ void to_codes(const float* values, std::int64_t count, std::uint8_t* codes) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kEight;
  if (first >= count) return;
  const auto value = [&](int i) { return values[first + i]; };
  if constexpr (gpu::Conversion<C>::kNative) {
    std::uint32_t words[2];
    gpu::Conversion<C>::template encode<kSums>(value, words);
    for (int i = 0; i < kEight; ++i) {
      const int bit = C::kBits * i;
      codes[first + i] = static_cast<std::uint8_t>(words[bit / 32] >> bit % 32 & ((1U << C::kBits) - 1));
    }
  } else {
    for (int i = 0; i < kEight; ++i) {
      codes[first + i] = static_cast<std::uint8_t>(C::template encode<gpu::GpuMath>(value(i), 1.0F));
    }
  }
}

template <class C>
__global__ void to_values(const std::uint8_t* codes, std::int64_t count, float* values) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kEight;
  if (first >= count) return;
  if constexpr (gpu::Conversion<C>::kNative) {
    std::uint32_t words[2] = {};
    for (int i = 0; i < kEight; ++i) {
      const int bit = C::kBits * i;
      words[bit / 32] |= static_cast<std::uint32_t>(codes[first + i]) << bit % 32;
    }
    float x[kEight];
    gpu::Conversion<C>::decode(words, x);
    for (int i = 0; i < kEight; ++i) values[first + i] = x[i];
  } else {
    for (int i = 0; i < kEight; ++i) {
      values[first + i] = C::template decode<gpu::GpuMath>(codes[first + i], 1.0F);
    }
  }
}

/// What `launch` makes on the device of `from`, whose length is a multiple of kEight; as many elements.
template <class To, class From, class Launch>
std::vector<To> on_device(const std::vector<From>& from, const Launch& launch) {
  const std::size_t count = from.size();
  if (count % kEight != 0) throw Error(Status::kInternal, "codes are tried eight at a time");
  const DeviceMemory send = allocate_device(count * sizeof(From));
  const DeviceMemory recv = allocate_device(count * sizeof(To));
  hip_check(hipMemcpy(send.get(), from.data(), count * sizeof(From), hipMemcpyHostToDevice), "write");
  hip_check(hipDeviceSynchronize(), "write");
  const auto blocks = static_cast<unsigned>((count / kEight + kThreads - 1) / kThreads);
  launch(blocks, static_cast<const From*>(send.get()), static_cast<std::int64_t>(count),
         static_cast<To*>(recv.get()));
  hip_check(hipGetLastError(), "launch");
  std::vector<To> to(count);
  hip_check(hipMemcpy(to.data(), recv.get(), count * sizeof(To), hipMemcpyDeviceToHost), "read");
  return to;
}

template <class C>
std::vector<std::uint8_t> codes_of(bool sums, const std::vector<float>& values) {
  return on_device<std::uint8_t>(
      values, [&](unsigned blocks, const float* from, std::int64_t count, std::uint8_t* to) {
        if (sums) {
          to_codes<C, true><<<blocks, kThreads>>>(from, count, to);
        } else {
          to_codes<C, false><<<blocks, kThreads>>>(from, count, to);
        }
      });
}

template <class C>
std::vector<float> values_of(const std::vector<std::uint8_t>& codes) {
  return on_device<float>(codes, [&](unsigned blocks, const std::uint8_t* from, std::int64_t count,
                                     float* to) { to_values<C><<<blocks, kThreads>>>(from, count, to); });
}

}  // namespace

std::vector<std::uint8_t> device_codes(int codec, bool sums, const std::vector<float>& values) {
  int number = 0;
#define QR_CODES(name, Codec) \
  if (++number == codec) return codes_of<Codec>(sums, values);
  QR_BLOCK_CODECS(QR_CODES)
#undef QR_CODES
  throw Error(Status::kInternal, "no such codec");
}

std::vector<float> device_values(int codec, const std::vector<std::uint8_t>& codes) {
  int number = 0;
#define QR_VALUES(name, Codec) \
  if (++number == codec) return values_of<Codec>(codes);
  QR_BLOCK_CODECS(QR_VALUES)
#undef QR_VALUES
  throw Error(Status::kInternal, "no such codec");
}

}  // namespace qr::test
