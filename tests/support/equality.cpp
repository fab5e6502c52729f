// Equal bits on all ranks: digests, and their comparison.
#include "equality.hpp"

#include <cstring>

#include "inputs.hpp"
#include "mpi_check.hpp"

namespace qr_test {

std::uint64_t digest(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t state = mixed(bytes);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    state = (state ^ word) * 0x9FB21C651E98DF25ULL;  // odd: no two words at one place give the same state
    state ^= state >> 29;
  }
  std::uint64_t rest = 0;
  if (bytes > 0) std::memcpy(&rest, at, bytes);
  return mixed(state ^ rest);
}

void BitLedger::note(std::string label, const void* data, std::size_t bytes) {
  labels_.push_back(std::move(label));
  digests_.push_back(digest(data, bytes));
}

testing::AssertionResult BitLedger::equal_on_all_ranks(MPI_Comm comm) {
  const std::vector<std::string> labels = std::move(labels_);
  const std::vector<std::uint64_t> mine = std::move(digests_);
  labels_.clear();
  digests_.clear();
  for (const std::int64_t theirs : gather_numbers(static_cast<std::int64_t>(mine.size()), comm)) {
    if (theirs != static_cast<std::int64_t>(mine.size())) {
      return testing::AssertionFailure()
             << "this rank noted " << mine.size() << " results, another one " << theirs;
    }
  }
  std::vector<std::uint64_t> first = mine;
  must(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_UINT64_T, 0, comm));
  std::size_t different = 0;
  std::string which;
  for (std::size_t index = 0; index < mine.size(); ++index) {
    if (mine[index] == first[index]) continue;
    if (different++ < 8) which += "\n  " + labels[index];
  }
  if (different == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << different << " of " << mine.size()
                                     << " results differ from rank 0's:" << which;
}

testing::AssertionResult equal_on_all_ranks(const void* data, std::size_t bytes, MPI_Comm comm) {
  BitLedger ledger;
  ledger.note("result", data, bytes);
  return ledger.equal_on_all_ranks(comm);
}

}  // namespace qr_test
