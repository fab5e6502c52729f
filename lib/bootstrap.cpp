// Agreements: one small all-gather in which the worst vote wins.
#include "lib/bootstrap.hpp"

#include <cstring>

namespace qr {

namespace {
struct Ballot {
  std::int32_t status;
  char text[508];
};
}  // namespace

Agreement agree(Bootstrap& bootstrap, const Vote& vote) {
  Ballot mine{};
  mine.status = static_cast<std::int32_t>(vote.status);
  std::strncpy(mine.text, vote.text.c_str(), sizeof(mine.text) - 1);
  const std::vector<Ballot> all = gather_all(bootstrap, mine);
  Agreement agreement;
  for (int rank = 0; rank < bootstrap.size(); ++rank) {
    const Ballot& ballot = all[static_cast<std::size_t>(rank)];
    if (ballot.status > static_cast<std::int32_t>(agreement.status)) {
      agreement.status = static_cast<Status>(ballot.status);
      agreement.rank = rank;
      agreement.text = ballot.text;
    }
  }
  return agreement;
}

}  // namespace qr
