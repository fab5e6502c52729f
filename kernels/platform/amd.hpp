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
/// Lanes that run together.
inline constexpr int kWaveLanes = 64;
/// Of now(): ticks a microsecond of the constant clock of gfx94x and gfx950.
inline constexpr std::uint64_t kTicksPerMicrosecond = 100;

/// Second argument of __launch_bounds__ for `blocks` resident blocks of `threads`: HIP means waves a SIMD by
/// it, and a compute unit has four of those.
constexpr int launch_bound(int threads, int blocks) {
  constexpr int kSimds = 4;
  const int waves = blocks * ((threads + kWaveLanes - 1) / kWaveLanes);
  return (waves + kSimds - 1) / kSimds;
}

// --- lanes
// -----------------------------------------------------------------------------------------------------------
// Both halves of a wave go through the same calls of these, or one of them not at all: lanes of the other
// half are never asked for.

/// Within each group of four: the value of lane (kOrder >> 2 i) mod 4 in lane i (quad_perm, part of the
/// instruction that uses it; __shfl would go through LDS).
template <int kOrder>
__device__ __forceinline__ std::uint32_t permute_four(std::uint32_t x) {
  return static_cast<std::uint32_t>(__builtin_amdgcn_mov_dpp(static_cast<int>(x), kOrder, 0xF, 0xF, true));
}
/// Value of the lane whose number differs in the bits of `mask`: 1 or 2, constant once loops are unrolled.
__device__ __forceinline__ std::uint32_t lane_xor(std::uint32_t x, int mask) {
  return mask == 1 ? permute_four<0xB1>(x) : permute_four<0x4E>(x);
}
/// Value of lane `index` of each group of four; constant once loops are unrolled.
__device__ __forceinline__ std::uint32_t lane_of_four(std::uint32_t x, int index) {
  switch (index) {
    case 0:
      return permute_four<0x00>(x);
    case 1:
      return permute_four<0x55>(x);
    case 2:
      return permute_four<0xAA>(x);
    default:
      return permute_four<0xFF>(x);
  }
}

/// True in all lanes of a wave if it is in any of those that came here.
__device__ __forceinline__ bool any_lane(bool x) { return __any(x ? 1 : 0) != 0; }

// --- memory
// ----------------------------------------------------------------------------------------------------------
// The user's vectors are read and written once: non-temporal. Arenas are uncached memory, so plain accesses
// go to it.

/// What addresses of 16-byte accesses to the user's vectors are multiples of: any element's will do.
inline constexpr std::size_t kQuadAlignment = 2;
using Quad = std::uint32_t __attribute__((ext_vector_type(4), aligned(kQuadAlignment)));

/// Read again soon.
__device__ __forceinline__ uint4 load_cached(const uint4* from) {
  const Quad quad = *reinterpret_cast<const Quad*>(from);
  return make_uint4(quad.x, quad.y, quad.z, quad.w);
}
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
/// Just now and just once: the compiler may not move, merge or repeat it. Nor does it find out by itself that
/// a volatile access is to global memory.
template <class Word>
__device__ __forceinline__ Word load_volatile(const Word* from) {
  return *(const volatile __attribute__((address_space(1))) Word*)from;
}
template <class Word>
__device__ __forceinline__ void store_volatile(Word* to, Word value) {
  *(volatile __attribute__((address_space(1))) Word*)to = value;
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

// --- the kernels before and behind on a stream
// ------------------------------------------------------------------------------------------------------------
// One begins when the other has ended.

__device__ __forceinline__ void wait_for_kernels_before() {}
__device__ __forceinline__ void let_kernel_behind_begin() {}

// --- signals
// ---------------------------------------------------------------------------------------------------------

// What a signal covers lies in arenas, and arenas are uncached memory on every GPU that maps them: a store
// that has been acknowledged is where the peers see it. So waiting is all there is to a release; buffer_wbl2,
// which a release of the language would bring along, writes the whole L2 back, of which nothing concerns the
// peers.

/// Waits for this wave's stores. A barrier does not (it is s_barrier alone). benchmarks/isa finds the wait in
/// front of every signal's barrier.
__device__ __forceinline__ void drain_stores() { asm volatile("s_waitcnt vmcnt(0)" : : : "memory"); }

/// System scope, and orders nothing: for a signal that covers no data.
__device__ __forceinline__ void store_signal(std::uint64_t* word, std::uint64_t value) {
  __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// System scope. Pairs with acquire_seen() on the GPU that owns the word.
template <class Word>
__device__ __forceinline__ void store_release(Word* word, Word value) {
  drain_stores();
  __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// System scope: what is in the word now. An acquire invalidates the caches (buffer_inv sc0 sc1), its own
/// and, on an XCD, everybody's: a wave that waits must not do that on every look.
template <class Word>
__device__ __forceinline__ Word look(const Word* word) {
  return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// After a look() at what was waited for. Pairs with store_release() on a peer.
__device__ __forceinline__ void acquire_seen() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, ""); }

__device__ __forceinline__ std::uint64_t now() { return static_cast<std::uint64_t>(wall_clock64()); }

__device__ __forceinline__ void nap() { __builtin_amdgcn_s_sleep(1); }

/// `x`, of which the compiler knows nothing any more: it must not copy the code between two branches on one
/// condition.
__device__ __forceinline__ bool launder(bool x) {
  int hidden = x ? 1 : 0;
  asm volatile("" : "+v"(hidden));
  return hidden != 0;
}
/// The same address. (What comes out of an asm is to the compiler no address in global memory.)
template <class T>
__device__ __forceinline__ T* launder(T* x) {
  return x;
}

/// What a lane wrote before is ordered before what the others of its wave do after: they go in step, and a
/// release waits for the stores of them all.
__device__ __forceinline__ void lanes_meet() { __builtin_amdgcn_wave_barrier(); }
/// Any value for `x`, at no cost: what it was need not be kept.
__device__ __forceinline__ void forget_value(std::uint32_t& x) { asm volatile("" : "=v"(x)); }

/// Here begins what few packets need, incomplete ones or scales of unusual size: benchmarks/isa knows it by
/// this instruction.
__device__ __forceinline__ void mark_rare() { asm volatile("s_nop 13"); }

/// Barrier of the block; true in all threads if `flag` is in any.
__device__ __forceinline__ bool barrier_any(bool flag) { return __syncthreads_or(flag ? 1 : 0) != 0; }

}  // namespace qr::gpu
