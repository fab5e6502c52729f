// Checks a result against the exact one: noise, largest error, the documented bound, and equal bits on all
// ranks.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "operations.hpp"

namespace qr::bench {

struct Accuracy {
  double sqnr_db =
      0;  // 10 log10(sum of squared exact values / sum of squared errors); infinite if there is no error
  double max_error = 0;  // largest |result - exact|
  double bound_share =
      0;  // largest |result - exact| / bound of that value; at most 1 if the library keeps its promise
  bool same_bits = true;  // all ranks hold the same bits

  [[nodiscard]] bool passed() const { return same_bits && bound_share <= 1; }
};

/// Collective. `result` is this rank's output of an all-reduce over `comm` of what fill_inputs writes. Each
/// rank checks its share of the blocks, which covers all of the vector because the bits are compared too.
/// `codec_error` is qr_mpi_codec_error of the codec that the call used.
Accuracy check_result(const void* result, std::int64_t count, Element element, Operation operation,
                      double codec_error, MPI_Comm comm);

}  // namespace qr::bench
