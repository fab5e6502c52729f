// What the GPU team needs of an NVIDIA GPU: lanes, memory accesses by kind, signals, the clock, byte and
// float tricks. amd.hpp is its twin: the same functions for AMD.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace qr::gpu {

inline constexpr int kWarpLanes = 32;
/// Lanes that run together.
inline constexpr int kWaveLanes = 32;
/// Of now(): ticks a microsecond.
inline constexpr std::uint64_t kTicksPerMicrosecond = 1000;

/// Second argument of __launch_bounds__ for `blocks` resident blocks of `threads`.
constexpr int launch_bound(int, int blocks) { return blocks; }

// --- lanes
// -----------------------------------------------------------------------------------------------------------

/// Value of the lane whose number differs in the bits of `mask`. All lanes take part, here and below.
__device__ __forceinline__ std::uint32_t lane_xor(std::uint32_t x, int mask) {
  return __shfl_xor_sync(0xFFFFFFFFU, x, mask);
}
/// Value of lane `index` of each group of four.
__device__ __forceinline__ std::uint32_t lane_of_four(std::uint32_t x, int index) {
  return __shfl_sync(0xFFFFFFFFU, x, index, 4);
}

// --- memory
// ----------------------------------------------------------------------------------------------------------
// The user's vectors are read and written once: streaming. Inboxes and what goes to the peers should stay in
// the L2; an inbox is never read through the L1, which could hold what the region held four signals ago.

/// What addresses of 16-byte accesses are multiples of.
inline constexpr std::size_t kQuadAlignment = 16;

/// Read again soon.
__device__ __forceinline__ uint4 load_cached(const uint4* from) { return *from; }
__device__ __forceinline__ uint4 load_stream(const uint4* from) { return __ldcs(from); }
__device__ __forceinline__ void store_stream(uint4* to, uint4 value) { __stcs(to, value); }
/// Brings a line of a vector into the L2, without waiting for it.
__device__ __forceinline__ void prefetch_line(const std::byte* line) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(line));
}
template <class Word>
__device__ __forceinline__ Word load_inbox(const Word* from) {
  return __ldcg(from);
}
template <class Word>
__device__ __forceinline__ void store_peer(Word* to, Word value) {
  *to = value;
}
/// Just now and just once: the compiler may not move, merge or repeat it.
template <class Word>
__device__ __forceinline__ Word load_volatile(const Word* from) {
  return *const_cast<const volatile Word*>(from);
}
template <class Word>
__device__ __forceinline__ void store_volatile(Word* to, Word value) {
  *const_cast<volatile Word*>(to) = value;
}

// Words whose 8-byte halves are written and read whole, whatever the order.
__device__ __forceinline__ void store_words(uint4* to, uint4 words) {
  const std::uint64_t low = static_cast<std::uint64_t>(words.y) << 32 | words.x;
  const std::uint64_t high = static_cast<std::uint64_t>(words.w) << 32 | words.z;
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" : : "l"(to), "l"(low), "l"(high) : "memory");
}
__device__ __forceinline__ uint4 load_words(const uint4* from) {
  std::uint64_t low;
  std::uint64_t high;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
  return make_uint4(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                    static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32));
}

// --- signals
// ---------------------------------------------------------------------------------------------------------

/// Makes this thread's stores ready for a release by another thread of the block behind a barrier. Nothing to
/// do here: the barrier orders them, and a release store is cumulative.
__device__ __forceinline__ void drain_stores() {}

/// System scope. Pairs with look() on the GPU that owns the word.
__device__ __forceinline__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}
/// System scope: what is in the word now, acquired: that costs no more than the load. Pairs with
/// store_release() on a peer.
__device__ __forceinline__ std::uint64_t look(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
/// After a look() at what was waited for: nothing is left to do.
__device__ __forceinline__ void acquire_seen() {}

/// Nanoseconds. It advances in steps of up to a microsecond.
__device__ __forceinline__ std::uint64_t now() {
  std::uint64_t ticks;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ticks));
  return ticks;
}

__device__ __forceinline__ void nap() { __nanosleep(20); }

/// `x`, of which the compiler knows nothing any more: it must not copy the code between two branches on one
/// condition.
__device__ __forceinline__ bool launder(bool x) {
  int hidden = x ? 1 : 0;
  asm volatile("" : "+r"(hidden));
  return hidden != 0;
}

/// What a lane wrote before is ordered before what the others of its warp do after.
__device__ __forceinline__ void lanes_meet() { __syncwarp(); }
/// What `x` was need not be kept. The compiler does well without being told.
__device__ __forceinline__ void forget_value(std::uint32_t&) {}

/// Here begins what is done for incomplete packets only: of use to benchmarks/isa on AMD.
__device__ __forceinline__ void mark_tail() {}

/// Barrier of the block; true in all threads if `flag` is in any.
__device__ __forceinline__ bool barrier_any(bool flag) { return __syncthreads_or(flag ? 1 : 0) != 0; }

// --- bytes and floats
// ------------------------------------------------------------------------------------------------

/// The low bytes of four words, first one lowest.
__device__ __forceinline__ std::uint32_t gather_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                      std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

/// Maxima of the 16-bit halves of two words, as unsigned or as signed integers.
__device__ __forceinline__ std::uint32_t max_unsigned_halves(std::uint32_t a, std::uint32_t b) {
  return __vmaxu2(a, b);
}
__device__ __forceinline__ std::uint32_t max_signed_halves(std::uint32_t a, std::uint32_t b) {
  return __vmaxs2(a, b);
}
/// The low halves of two words, the high halves of two words; the first one lowest.
__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ __forceinline__ std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x7632);
}

/// Byte kByte of `row`, an integer, less kBias: exact. The byte becomes the low mantissa bits of 2^23 + byte.
template <int kByte, int kBias>
__device__ __forceinline__ float byte_less(std::uint32_t row) {
  const std::uint32_t shifted = __byte_perm(row, 0x4B000000U, 0x7650 + kByte);
  return __fadd_rn(__uint_as_float(shifted), -(8388608.0F + kBias));
}

/// Two floats as a pair of fp16, half to even; too large becomes Inf.
__device__ __forceinline__ std::uint32_t to_float16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ float low_float16(std::uint32_t pair) {
  float x;
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}" : "=f"(x) : "r"(pair));
  return x;
}
__device__ __forceinline__ float high_float16(std::uint32_t pair) {
  float x;
  asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high;}" : "=f"(x) : "r"(pair));
  return x;
}

#if __CUDA_ARCH__ >= 890
/// Two floats as a pair of E4M3, half to even; too large becomes the largest number.
__device__ __forceinline__ std::uint16_t to_e4m3_pair(float low, float high) {
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
}
/// A pair of E4M3 as a pair of fp16: exact.
__device__ __forceinline__ std::uint32_t e4m3_to_float16_pair(std::uint16_t pair) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
  return halves;
}
#endif

/// As to_float16_pair() and to_bfloat16_pair(); too large becomes the largest number, NaN stays NaN.
__device__ __forceinline__ std::uint32_t to_float16_pair_within_range(float low, float high) {
  std::uint32_t pair = to_float16_pair(low, high);
  asm("min.NaN.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x7BFF7BFFU));
  asm("max.NaN.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0xFBFFFBFFU));
  return pair;
}
__device__ __forceinline__ std::uint32_t to_bfloat16_pair_within_range(float low, float high) {
  std::uint32_t pair = to_bfloat16_pair(low, high);
  asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x7F7F7F7FU));
  asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(0xFF7FFF7FU));
  return pair;
}

/// min(max(x, -limit), limit), but NaN stays NaN.
__device__ __forceinline__ float clamp_or_nan(float x, float limit) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(limit));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(y), "f"(-limit));
  return y;
}

}  // namespace qr::gpu
