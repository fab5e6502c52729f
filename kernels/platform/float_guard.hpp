// The floating-point environment in which packets are made: IEEE defaults, whatever the application has set.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace qr {

/// While it lives, the thread rounds half to even, keeps subnormals and traps nothing; then the caller's
/// modes are back. Two ranks with different modes (flush-to-zero, a rounding mode) would otherwise get
/// different bits, and codes of NaN would stop a program that traps invalid operations. Writing the control
/// register takes up to 100 ns, reading it a few: it is written only if the caller changed it, and the sticky
/// flags are left as after any arithmetic.
class FloatGuard {
 public:
#if defined(__SSE__)
  [[gnu::always_inline]] FloatGuard() : saved_(_mm_getcsr()) {
    if (changed()) _mm_setcsr(kDefault);
    fence();
  }
  [[gnu::always_inline]] ~FloatGuard() {
    fence();
    if (changed()) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kDefault = 0x1F80;
  static constexpr unsigned kFlags = 0x3F;
  [[gnu::always_inline]] bool changed() const { return (saved_ & ~kFlags) != kDefault; }
  unsigned saved_;
#elif defined(__aarch64__)
  [[gnu::always_inline]] FloatGuard() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    if (saved_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
    fence();
  }
  [[gnu::always_inline]] ~FloatGuard() {
    fence();
    if (saved_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(saved_));
  }

 private:
  std::uint64_t saved_ = 0;
#else
  FloatGuard() { fence(); }
#endif

  /// The compiler may not move loads and stores across this, and with them the arithmetic between them.
  [[gnu::always_inline]] static void fence() { __asm__ volatile("" : : : "memory"); }

 public:
  FloatGuard(const FloatGuard&) = delete;
  FloatGuard& operator=(const FloatGuard&) = delete;
};

}  // namespace qr
