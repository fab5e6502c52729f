// The four reduction operations of the tables: names, MPI ops, and how two values combine.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "mpi_support.hpp"

namespace qr::bench {

enum class Operation { kSum, kProd, kMin, kMax };

constexpr std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return "sum";
    case Operation::kProd:
      return "prod";
    case Operation::kMin:
      return "min";
    case Operation::kMax:
      return "max";
  }
  return "?";
}

inline MPI_Op mpi_op_of(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return MPI_SUM;
    case Operation::kProd:
      return MPI_PROD;
    case Operation::kMin:
      return MPI_MIN;
    case Operation::kMax:
      return MPI_MAX;
  }
  return MPI_OP_NULL;
}

template <Operation kOperation, class T>
constexpr T combine(T a, T b) {
  if constexpr (kOperation == Operation::kSum) return a + b;
  if constexpr (kOperation == Operation::kProd) return a * b;
  if constexpr (kOperation == Operation::kMin) return std::min(a, b);
  if constexpr (kOperation == Operation::kMax) return std::max(a, b);
}

/// Calls `function` with a constant that stands for `operation`.
template <class Function>
auto visit(Operation operation, Function&& function) {
  switch (operation) {
    case Operation::kSum:
      return function(std::integral_constant<Operation, Operation::kSum>{});
    case Operation::kProd:
      return function(std::integral_constant<Operation, Operation::kProd>{});
    case Operation::kMin:
      return function(std::integral_constant<Operation, Operation::kMin>{});
    case Operation::kMax:
      return function(std::integral_constant<Operation, Operation::kMax>{});
  }
  throw std::logic_error("operation out of range");
}

}  // namespace qr::bench
