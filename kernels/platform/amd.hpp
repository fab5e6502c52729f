// What the GPU team needs of an AMD GPU: lanes, memory accesses by kind, signals, the clock, byte and float
// tricks. The twin of nvidia.hpp. A packet is the work of 32 lanes here too, so a wave of 64 takes two slots.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>

// CUDA's word for a kernel argument that stays where it is; here that is the compiler's own affair.
#if !defined(__grid_constant__)
#define __grid_constant__
#endif

namespace qr::gpu {

inline constexpr int kWarpLanes = 32;
/// Of now(): ticks a microsecond of the constant clock of gfx94x and gfx950.
inline constexpr std::uint64_t kTicksPerMicrosecond = 100;

// --- lanes
// -----------------------------------------------------------------------------------------------------------
// Both halves of a wave go through the same calls of these, or one of them not at all: lanes of the other
// half are never asked for.

/// Value of the lane whose number differs in the bits of `mask`.
__device__ __forceinline__ std::uint32_t lane_xor(std::uint32_t x, int mask) {
  return static_cast<std::uint32_t>(__shfl_xor(static_cast<int>(x), mask));
}
/// Value of lane `index` of each group of four.
__device__ __forceinline__ std::uint32_t lane_of_four(std::uint32_t x, int index) {
  return static_cast<std::uint32_t>(__shfl(static_cast<int>(x), index, 4));
}

// --- memory
// ----------------------------------------------------------------------------------------------------------
// The user's vectors are read and written once: non-temporal. Arenas are uncached memory, so plain accesses
// go to it.

using Quad = std::uint32_t __attribute__((ext_vector_type(4)));

__device__ __forceinline__ uint4 load_stream(const uint4* from) {
  const Quad quad = __builtin_nontemporal_load(reinterpret_cast<const Quad*>(from));
  return make_uint4(quad.x, quad.y, quad.z, quad.w);
}
__device__ __forceinline__ void store_stream(uint4* to, uint4 value) {
  const Quad quad = {value.x, value.y, value.z, value.w};
  __builtin_nontemporal_store(quad, reinterpret_cast<Quad*>(to));
}
/// Brings a line of a vector near, without waiting for it: these GPUs have no such instruction.
__device__ __forceinline__ void prefetch_line(const std::byte*) {}
template <class Word>
__device__ __forceinline__ Word load_inbox(const Word* from) {
  return *from;
}
template <class Word>
__device__ __forceinline__ void store_peer(Word* to, Word value) {
  *to = value;
}

// Words whose 8-byte halves are written and read whole, whatever the order.
__device__ __forceinline__ void store_words(uint4* to, uint4 words) {
  auto* const half = reinterpret_cast<std::uint64_t*>(to);
  __hip_atomic_store(half, static_cast<std::uint64_t>(words.y) << 32 | words.x, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_store(half + 1, static_cast<std::uint64_t>(words.w) << 32 | words.z, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ __forceinline__ uint4 load_words(const uint4* from) {
  const auto* const half = reinterpret_cast<const std::uint64_t*>(from);
  const std::uint64_t low = __hip_atomic_load(half, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  const std::uint64_t high = __hip_atomic_load(half + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  return make_uint4(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                    static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32));
}

// --- signals
// ---------------------------------------------------------------------------------------------------------

/// Waits until this wave's stores are where the peers see them. A barrier does not wait for stores (s_barrier
/// alone), and the thread that releases behind it flushes for its own wave only.
__device__ __forceinline__ void drain_stores() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, ""); }

/// System scope. Pairs with load_acquire() on the GPU that owns the word.
__device__ __forceinline__ void store_release(std::uint64_t* word, std::uint64_t value) {
  __hip_atomic_store(word, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// System scope. Pairs with store_release() on a peer.
__device__ __forceinline__ std::uint64_t load_acquire(const std::uint64_t* word) {
  return __hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
}

__device__ __forceinline__ std::uint64_t now() { return static_cast<std::uint64_t>(wall_clock64()); }

__device__ __forceinline__ void nap() { __builtin_amdgcn_s_sleep(1); }

/// `x`, of which the compiler knows nothing any more: it must not copy the code between two branches on one
/// condition.
__device__ __forceinline__ bool launder(bool x) {
  int hidden = x ? 1 : 0;
  asm volatile("" : "+v"(hidden));
  return hidden != 0;
}

/// What a lane wrote before is ordered before what the others of its wave do after: they go in step, and a
/// release waits for the stores of them all.
__device__ __forceinline__ void lanes_meet() { __builtin_amdgcn_wave_barrier(); }

/// Barrier of the block; true in all threads if `flag` is in any.
__device__ __forceinline__ bool barrier_any(bool flag) { return __syncthreads_or(flag ? 1 : 0) != 0; }

// --- bytes and floats
// ------------------------------------------------------------------------------------------------

using Halves = std::uint16_t __attribute__((ext_vector_type(2)));
using SignedHalves = std::int16_t __attribute__((ext_vector_type(2)));

/// The low bytes of four words, first one lowest.
__device__ __forceinline__ std::uint32_t gather_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                      std::uint32_t d) {
  const std::uint32_t low = __builtin_amdgcn_perm(b, a, 0x0C0C0400U);
  const std::uint32_t high = __builtin_amdgcn_perm(d, c, 0x04000C0CU);
  return low | high;
}

/// Maxima of the 16-bit halves of two words, as unsigned or as signed integers.
__device__ __forceinline__ std::uint32_t max_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_bit_cast(
      std::uint32_t, __builtin_elementwise_max(__builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b)));
}
__device__ __forceinline__ std::uint32_t max_signed_halves(std::uint32_t a, std::uint32_t b) {
  return __builtin_bit_cast(std::uint32_t, __builtin_elementwise_max(__builtin_bit_cast(SignedHalves, a),
                                                                     __builtin_bit_cast(SignedHalves, b)));
}
/// The low halves of two words, the high halves of two words; the first one lowest.
__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
  return (a & 0xFFFFU) | b << 16;
}
__device__ __forceinline__ std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
  return a >> 16 | (b & 0xFFFF0000U);
}

/// Byte kByte of `row`, an integer, less kBias: exact (v_cvt_f32_ubyte, v_sub).
template <int kByte, int kBias>
__device__ __forceinline__ float byte_less(std::uint32_t row) {
  return static_cast<float>(row >> (8 * kByte) & 0xFFU) - static_cast<float>(kBias);
}

/// min(max(x, -limit), limit), but NaN stays NaN.
__device__ __forceinline__ float clamp_or_nan(float x, float limit) {
  const float upper = limit < x ? limit : x;
  return upper < -limit ? -limit : upper;
}

/// Two floats as a pair of fp16, half to even; too large becomes Inf.
__device__ __forceinline__ std::uint32_t to_float16_pair(float low, float high) {
  using Pair = _Float16 __attribute__((ext_vector_type(2)));
  const Pair pair = {static_cast<_Float16>(low), static_cast<_Float16>(high)};
  return __builtin_bit_cast(std::uint32_t, pair);
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair(float low, float high) {
  using Floats = float __attribute__((ext_vector_type(2)));
  using Pair = __bf16 __attribute__((ext_vector_type(2)));
  const Floats both = {low, high};
  return __builtin_bit_cast(std::uint32_t, __builtin_convertvector(both, Pair));
}
__device__ __forceinline__ float low_float16(std::uint32_t pair) {
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(pair)));
}
__device__ __forceinline__ float high_float16(std::uint32_t pair) {
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(pair >> 16)));
}
/// The same; too large becomes the largest number, NaN stays NaN.
__device__ __forceinline__ std::uint32_t to_float16_pair_within_range(float low, float high) {
  constexpr float kLargest = 65504.0F;
  return to_float16_pair(clamp_or_nan(low, kLargest), clamp_or_nan(high, kLargest));
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair_within_range(float low, float high) {
  constexpr float kLargest = 0x1.FEp127F;
  return to_bfloat16_pair(clamp_or_nan(low, kLargest), clamp_or_nan(high, kLargest));
}

}  // namespace qr::gpu
