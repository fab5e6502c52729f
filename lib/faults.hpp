// Faults that tests ask for: QR_MPI_TEST_FAULT="name:rank". Read at set-up only; never part of a product's
// configuration.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace qr {

/// True when the environment asks for fault `name` on this rank.
inline bool fault_names(std::string_view name, int rank) {
  const char* value = std::getenv("QR_MPI_TEST_FAULT");
  return value != nullptr && std::string(name) + ":" + std::to_string(rank) == value;
}

}  // namespace qr
