// The caller's floating-point modes (rounding, flush to zero, traps) change no bit, differ between ranks
// without harm, and are as before after the call.
#include <fenv.h>
#include <gtest/gtest.h>
#include <mpi.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <limits>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/inputs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 3 * 2048 + 45;

/// Puts the thread's modes back.
class KeptModes {
 public:
  KeptModes() { EXPECT_EQ(fegetenv(&before_), 0); }
  ~KeptModes() { EXPECT_EQ(fesetenv(&before_), 0); }
  KeptModes(const KeptModes&) = delete;
  KeptModes& operator=(const KeptModes&) = delete;

 private:
  fenv_t before_ = {};
};

/// What programs built with -ffast-math run with, where the processor has it.
void flush_subnormals() {
#if defined(__SSE__)
  constexpr unsigned kFlushToZero = 0x8000, kSubnormalsAreZero = 0x40;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kSubnormalsAreZero);
#endif
}
bool flushes_subnormals() {
#if defined(__SSE__)
  return (_mm_getcsr() & 0x8040) == 0x8040;
#else
  return true;
#endif
}

/// Values across the type's range, subnormals among them.
template <class T>
std::vector<T> wide_input(int rank) {
  std::vector<T> values;
  for (std::int64_t index = 0; index < kCount; ++index) {
    const int exponent = Format<T>::kMinExponent - Format<T>::kMantissa + static_cast<int>(index / 32 % 60);
    values.push_back(rounded<T>(std::ldexp(Input{.seed = 71}.real(rank, index), exponent)));
  }
  return values;
}

/// f<T>() on every road of the library's own.
template <class F>
void for_own_roads(const Comm& comm, F&& f) {
  for (const Codec& codec : codecs()) {
    for (const std::string& algorithm : kAlgorithms) {
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      for_types_of(codec, [&]<class T>() {
        SCOPED_TRACE(codec.name + " " + algorithm + " " + Format<T>::kName);
        f.template operator()<T>();
      });
    }
  }
}

TEST(FloatModes, OfSomeRanksChangeNoBit) {
  const Comm comm;
  for_own_roads(comm, [&]<class T>() {
    const std::vector<T> send = wide_input<T>(comm.rank());
    std::vector<T> usual(kCount), odd(kCount);
    EXPECT_TRUE(succeeded(sum(send.data(), usual.data(), kCount, comm.get())));
    {
      const KeptModes kept;
      const int mode = comm.rank() % 2 == 0 ? FE_UPWARD : FE_TOWARDZERO;
      EXPECT_EQ(fesetround(mode), 0);
      flush_subnormals();
      const int code = sum(send.data(), odd.data(), kCount, comm.get());
      EXPECT_EQ(fegetround(), mode) << "after the call";
      EXPECT_TRUE(flushes_subnormals()) << "after the call";
      EXPECT_TRUE(succeeded(code));
    }
    EXPECT_EQ(digest(odd.data(), kCount * sizeof(T)), digest(usual.data(), kCount * sizeof(T)));
    EXPECT_TRUE(equal_on_all_ranks(odd.data(), kCount * sizeof(T), comm.get()));
  });
}

#if defined(__GLIBC__)
/// Zeros, NaN, infinities and overflow are data, not mistakes of a program that traps those.
TEST(FloatModes, TrapsAreNotSprung) {
  const Comm comm;
  for_own_roads(comm, [&]<class T>() {
    std::vector<T> send = wide_input<T>(comm.rank()), recv(kCount);
    for (std::size_t index = 0; index < 96; ++index) send[index] = rounded<T>(0);
    for (std::size_t index = 96; index < 128; ++index) send[index] = rounded<T>(largest<T>());
    send[200] = rounded<T>(std::numeric_limits<double>::quiet_NaN());
    send[300] = rounded<T>(comm.rank() == 0 ? HUGE_VAL : -HUGE_VAL);
    const KeptModes kept;
    EXPECT_EQ(feclearexcept(FE_ALL_EXCEPT), 0);
    EXPECT_NE(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW), -1);
    const int code = sum(send.data(), recv.data(), kCount, comm.get());
    EXPECT_EQ(fegetexcept(), FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) << "after the call";
    EXPECT_EQ(feclearexcept(FE_ALL_EXCEPT), 0);
    EXPECT_EQ(code, MPI_SUCCESS);
  });
}
#endif

}  // namespace
}  // namespace qr_test
