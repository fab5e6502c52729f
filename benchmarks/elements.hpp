// The four element types of the tables: names, MPI datatypes, and exact conversions of the 16-bit ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "mpi_support.hpp"

namespace qr::bench {

enum class Element { kFloat, kDouble, kFloat16, kBFloat16 };

struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

inline float to_float(BFloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

inline float to_float(Float16 value) {
  const std::uint32_t magnitude = (value.bits & 0x7fffU) << 13;
  const std::uint32_t exponent = magnitude & 0x0f800000U;
  std::uint32_t bits = magnitude + (112U << 23);
  if (exponent == 0x0f800000U) bits += 112U << 23;  // infinities and NaNs
  if (exponent == 0) {                              // subnormals: let the subtraction normalize
    bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits + (1U << 23)) -
                                        std::bit_cast<float>(113U << 23));
  }
  return std::bit_cast<float>(bits | ((value.bits & 0x8000U) << 16));
}

inline double to_double(double value) { return value; }
inline double to_double(float value) { return static_cast<double>(value); }
inline double to_double(Float16 value) { return static_cast<double>(to_float(value)); }
inline double to_double(BFloat16 value) { return static_cast<double>(to_float(value)); }

/// Rounds to the nearest value, half to even.
template <class T>
T from_float(float value);

template <>
inline float from_float<float>(float value) {
  return value;
}

template <>
inline BFloat16 from_float<BFloat16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40U;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded)};
}

template <>
inline Float16 from_float<Float16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Normal results: change the exponent's bias by wrap-around and round; a carry may reach infinity, as it
  // should.
  std::uint32_t half = (magnitude - (112U << 23) + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // Subnormal results: adding 0.5 aligns the last bit of the sum with the last bit of the result.
  if (magnitude < (113U << 23)) {
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
           std::bit_cast<std::uint32_t>(0.5F);
  }
  if (magnitude >= (143U << 23)) half = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
  return {static_cast<std::uint16_t>(half | sign)};
}

constexpr std::string_view name_of(Element element) {
  switch (element) {
    case Element::kFloat:
      return "float";
    case Element::kDouble:
      return "double";
    case Element::kFloat16:
      return "float16";
    case Element::kBFloat16:
      return "bfloat16";
  }
  return "?";
}

constexpr std::size_t bytes_of(Element element) {
  return element == Element::kDouble ? 8 : element == Element::kFloat ? 4 : 2;
}

/// Half the distance between neighbouring values, relative to the value: the error of one rounding.
constexpr double rounding_of(Element element) {
  switch (element) {
    case Element::kFloat:
      return 0x1p-24;
    case Element::kDouble:
      return 0x1p-53;
    case Element::kFloat16:
      return 0x1p-11;
    case Element::kBFloat16:
      return 0x1p-8;
  }
  return 0;
}

inline MPI_Datatype mpi_type_of(Element element) {
  switch (element) {
    case Element::kFloat:
      return MPI_FLOAT;
    case Element::kDouble:
      return MPI_DOUBLE;
    case Element::kFloat16:
      return qr_mpi_type_float16();
    case Element::kBFloat16:
      return qr_mpi_type_bfloat16();
  }
  return MPI_DATATYPE_NULL;
}

/// Calls `function` with a value of the C++ type that stands for `element`.
template <class Function>
auto visit(Element element, Function&& function) {
  switch (element) {
    case Element::kFloat:
      return function(float{});
    case Element::kDouble:
      return function(double{});
    case Element::kFloat16:
      return function(Float16{});
    case Element::kBFloat16:
      return function(BFloat16{});
  }
  throw std::logic_error("element type out of range");
}

}  // namespace qr::bench
