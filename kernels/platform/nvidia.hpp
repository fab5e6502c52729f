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

/// True in all lanes if it is in any.
__device__ __forceinline__ bool any_lane(bool x) { return __any_sync(0xFFFFFFFFU, x ? 1 : 0) != 0; }

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

// --- the kernels before and behind on a stream
// ------------------------------------------------------------------------------------------------------------
// A kernel launched by launch_kernel() (lib/backends/hip) may begin before the one in front of it has ended.

/// Waits until the kernels in front have ended and all they wrote is there. Before this, a kernel touches no
/// memory.
__device__ __forceinline__ void wait_for_kernels_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}
/// The kernel behind may begin when a thread of every block has come here, or the block has ended. Its blocks
/// take up room meanwhile: only behind the last wait for a peer, whose own blocks have all found room then.
__device__ __forceinline__ void let_kernel_behind_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

// --- signals
// ---------------------------------------------------------------------------------------------------------

/// Makes this thread's stores ready for a release by another thread of the block behind a barrier. Nothing to
/// do here: the barrier orders them, and a release store is cumulative.
__device__ __forceinline__ void drain_stores() {}

/// System scope, and orders nothing: for a signal that covers no data.
__device__ __forceinline__ void store_signal(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}
/// System scope. Pairs with look() on the GPU that owns the word.
__device__ __forceinline__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ void store_release(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
}
/// System scope: what is in the word now, acquired: that costs no more than the load. Pairs with
/// store_release() on a peer.
__device__ __forceinline__ std::uint64_t look(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t look(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
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
/// The same address; what it is made of is worked out before what follows.
template <class T>
__device__ __forceinline__ T* launder(T* x) {
  asm volatile("" : "+l"(x));
  return x;
}

/// What a lane wrote before is ordered before what the others of its warp do after.
__device__ __forceinline__ void lanes_meet() { __syncwarp(); }
/// What `x` was need not be kept. The compiler does well without being told.
__device__ __forceinline__ void forget_value(std::uint32_t&) {}

/// Here begins what few packets need: of use to benchmarks/isa on AMD.
__device__ __forceinline__ void mark_rare() {}

/// Barrier of the block; true in all threads if `flag` is in any.
__device__ __forceinline__ bool barrier_any(bool flag) { return __syncthreads_or(flag ? 1 : 0) != 0; }

}  // namespace qr::gpu
