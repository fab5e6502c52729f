// The element types under test, with conversions written here and not taken from the library.
#pragma once

#include <mpi.h>
#include <qr_mpi/qr_mpi.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace qr_test {

struct Float16 {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// What a format is: bits of its mantissa, exponents of its smallest and largest normal value.
template <class T>
struct Format;
template <>
struct Format<Float16> {
  using Bits = std::uint16_t;
  static constexpr const char* kName = "float16";
  static constexpr int kMantissa = 10, kMinExponent = -14, kMaxExponent = 15;
  static MPI_Datatype datatype() { return qr_mpi_type_float16(); }
};
template <>
struct Format<BFloat16> {
  using Bits = std::uint16_t;
  static constexpr const char* kName = "bfloat16";
  static constexpr int kMantissa = 7, kMinExponent = -126, kMaxExponent = 127;
  static MPI_Datatype datatype() { return qr_mpi_type_bfloat16(); }
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr const char* kName = "float32";
  static constexpr int kMantissa = 23, kMinExponent = -126, kMaxExponent = 127;
  static MPI_Datatype datatype() { return MPI_FLOAT; }
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr const char* kName = "float64";
  static constexpr int kMantissa = 52, kMinExponent = -1022, kMaxExponent = 1023;
  static MPI_Datatype datatype() { return MPI_DOUBLE; }
};

template <class T>
constexpr bool kIs16Bit = sizeof(T) == 2;

/// f<T>() for the types that every codec takes, and for those that raw takes.
template <class F>
void for_codec_types(F&& f) {
  f.template operator()<Float16>();
  f.template operator()<BFloat16>();
  f.template operator()<float>();
}
template <class F>
void for_all_types(F&& f) {
  for_codec_types(f);
  f.template operator()<double>();
}

/// What raw adds in: fp32 for the 16-bit types, the type itself otherwise.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
double largest() {
  return std::ldexp(2.0 - std::ldexp(1.0, -Format<T>::kMantissa), Format<T>::kMaxExponent);
}
template <class T>
double smallest_subnormal() {
  return std::ldexp(1.0, Format<T>::kMinExponent - Format<T>::kMantissa);
}

/// Half the distance to the next representable value at |x|: the most that one rounding can cost.
template <class T>
double half_ulp(double x) {
  const int exponent = x == 0 ? Format<T>::kMinExponent : std::max(std::ilogb(x), Format<T>::kMinExponent);
  return std::ldexp(1.0, exponent - Format<T>::kMantissa - 1);
}

/// Exact value of a 16-bit number.
template <class T>
double decode_16_bit(std::uint16_t bits) {
  constexpr int kMantissa = Format<T>::kMantissa;
  constexpr int kExponentMask = (1 << (15 - kMantissa)) - 1;
  const int exponent = (bits >> kMantissa) & kExponentMask;
  const int mantissa = bits & ((1 << kMantissa) - 1);
  double magnitude = 0;
  if (exponent == kExponentMask) {
    magnitude = mantissa == 0 ? HUGE_VAL : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, Format<T>::kMinExponent - kMantissa);
  } else {
    magnitude = std::ldexp(mantissa + (1 << kMantissa), exponent - Format<T>::kMaxExponent - kMantissa);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Nearest 16-bit number, ties to even, in integers only: |x| in units of the last place it may keep,
/// rounded, put together.
template <class T>
std::uint16_t encode_16_bit(double x) {
  constexpr int kMantissa = Format<T>::kMantissa;
  constexpr int kExponentMask = (1 << (15 - kMantissa)) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  const auto infinity = static_cast<std::uint16_t>(sign | kExponentMask << kMantissa);
  if (exponent == 1024) {
    const bool nan = (bits << 12) != 0;
    return static_cast<std::uint16_t>(nan ? infinity | 1 << (kMantissa - 1) : infinity);
  }
  if (exponent > Format<T>::kMaxExponent) return infinity;
  if (exponent < Format<T>::kMinExponent - kMantissa - 1) return sign;
  const std::uint64_t significand = (bits & ((1ULL << 52) - 1)) | 1ULL << 52;
  const int kept = std::max(exponent, Format<T>::kMinExponent);
  const int shift = 52 - kMantissa + (kept - exponent);
  const std::uint64_t half = 1ULL << (shift - 1);
  const std::uint64_t rounded = (significand + half - 1 + (significand >> shift & 1)) >> shift;
  // A carry out of the mantissa runs into the exponent, which is just what it should do, up to infinity.
  const auto base = static_cast<std::uint64_t>(kept - Format<T>::kMinExponent) << kMantissa;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(base + rounded));
}

template <class T>
double value_of(T x) {
  if constexpr (kIs16Bit<T>) {
    return decode_16_bit<T>(x.bits);
  } else {
    return x;
  }
}

/// The nearest value of type T, ties to even; infinite where x is too large.
template <class T>
T rounded(double x) {
  if constexpr (kIs16Bit<T>) {
    return T{encode_16_bit<T>(x)};
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
typename Format<T>::Bits bits_of(T x) {
  return std::bit_cast<typename Format<T>::Bits>(x);
}

/// The next representable value above a finite x >= 0.
template <class T>
T next_up(T x) {
  return std::bit_cast<T>(static_cast<typename Format<T>::Bits>(bits_of(x) + 1));
}

}  // namespace qr_test
