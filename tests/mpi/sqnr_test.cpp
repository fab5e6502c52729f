// Accuracy: the noise that codecs add to sums of Gaussian values stays below what the project promises.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 1 << 20;

/// Least SQNR in dB by world size, algorithm and codec.
const std::map<std::pair<int, std::string>, std::map<std::string, double>> kGates = {
    {{8, "two_shot"}, {{"int8", 42.0}, {"int6", 30.3}, {"int4", 18.4}, {"int3", 12.3}}},
    {{2, "exchange"}, {{"int4", 21.2}, {"int3", 15.0}}}};

/// Signal to noise of the sum in dB; each rank measures its share of the values, and the ranks compare their
/// bits.
template <class T>
double measured(const Comm& comm) {
  const Input input{.seed = 77, .pattern = Pattern::kGaussian};
  const Share share = share_of(kCount, comm.rank(), comm.size());
  static const Reference<T> reference(input, comm.size(), share.count, share.first);
  static const std::vector<T> send = [&] {
    std::vector<T> values(kCount);
    input.fill(values.data(), kCount, comm.rank());
    return values;
  }();
  std::vector<T> recv(kCount);
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), kCount, comm.get())));
  EXPECT_TRUE(equal_on_all_ranks(recv.data(), kCount * sizeof(T), comm.get()));
  double energy[2] = {};  // signal, noise
  for (std::int64_t index = 0; index < share.count; ++index) {
    const double wanted = reference.true_sum(index);
    const double off = value_of(recv[static_cast<std::size_t>(share.first + index)]) - wanted;
    energy[0] += wanted * wanted;
    energy[1] += off * off;
  }
  must(MPI_Allreduce(MPI_IN_PLACE, energy, 2, MPI_DOUBLE, MPI_SUM, comm.get()));
  return 10 * std::log10(energy[0] / energy[1]);
}

TEST(Sqnr, OfGaussianSumsIsAsPromised) {
  allow_time(2);
  const Comm comm;
  int gates = 0;
  for (const std::string& algorithm : kAlgorithms) {
    const auto row = kGates.find({comm.size(), algorithm});
    if (row == kGates.end()) continue;
    for (const Codec& codec : lossy_codecs()) {
      const auto gate = row->second.find(codec.name);
      if (gate == row->second.end()) continue;
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      const double decibels = measured<float>(comm);
      EXPECT_GE(decibels, gate->second) << codec.name << " " << algorithm;
      testing::Test::RecordProperty(codec.name + "_" + algorithm, std::to_string(decibels));
      ++gates;
    }
  }
  if (gates == 0) GTEST_SKIP() << "promises are for 8 ranks (two_shot) and 2 ranks (exchange)";
}

/// One rounding at the end: about 56 dB. Roundings at every addition would cost several dB.
TEST(Sqnr, OfRawBFloat16IsThatOfOneRounding) {
  const Comm comm;
  if (comm.size() != 8) GTEST_SKIP() << "the promise is for 8 ranks";
  for (const char* algorithm : {"exchange", "two_shot", "mpi"}) {
    use(comm.get(), {{"codec", "raw"}, {"algorithm", algorithm}});
    EXPECT_GE(measured<BFloat16>(comm), 55.0) << algorithm;
  }
}

}  // namespace
}  // namespace qr_test
