// Equal bits on all ranks: results are noted as they come and compared in one collective.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qr_test {

/// A 64-bit digest of bytes.
std::uint64_t digest(const void* data, std::size_t bytes);

/// Notes results under labels. Ranks must note the same ones in the same order.
class BitLedger {
 public:
  void note(std::string label, const void* data, std::size_t bytes);

  /// Collective. Forgets what was noted.
  testing::AssertionResult equal_on_all_ranks(MPI_Comm comm);

 private:
  std::vector<std::string> labels_;
  std::vector<std::uint64_t> digests_;
};

/// The same for one result. Collective.
testing::AssertionResult equal_on_all_ranks(const void* data, std::size_t bytes, MPI_Comm comm);

}  // namespace qr_test
