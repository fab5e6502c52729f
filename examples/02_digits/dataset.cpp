// Sharing the data over MPI, and the split.
#include "dataset.hpp"

#include <fmt/core.h>

#include <exception>
#include <random>

#include "common/mpi_check.hpp"
#include "shuffle.hpp"

namespace examples {

namespace {

constexpr std::uint64_t kSplitSeed = 1998;

void append(Digits& to, const Digits& from, int index) {
  to.pixels.insert(to.pixels.end(), from.image(index), from.image(index) + kPixels);
  to.labels.push_back(from.label(index));
}

}  // namespace

std::optional<Digits> load_digits(const std::string& path, MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank));
  Digits digits;
  int count = -1;  // stays so if reading fails: then no rank waits for data that will not come
  if (rank == 0) {
    try {
      digits = read_digits(path);
      count = digits.size();
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  check(MPI_Bcast(&count, 1, MPI_INT, 0, comm));
  if (count < 0) return std::nullopt;
  digits.labels.resize(static_cast<std::size_t>(count));
  digits.pixels.resize(static_cast<std::size_t>(count) * kPixels);
  check(MPI_Bcast(digits.labels.data(), count, MPI_INT, 0, comm));
  check(MPI_Bcast(digits.pixels.data(), count * kPixels, MPI_FLOAT, 0, comm));
  return digits;
}

Dataset hold_out(const Digits& digits, int test_count) {
  std::mt19937_64 random(kSplitSeed);
  const std::vector<int> order = shuffled(digits.size(), random);
  Dataset dataset;
  for (int place = 0; place < digits.size(); ++place) {
    append(place < test_count ? dataset.test : dataset.train, digits, order[static_cast<std::size_t>(place)]);
  }
  return dataset;
}

}  // namespace examples
