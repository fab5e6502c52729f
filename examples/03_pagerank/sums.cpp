// The sums. Everything that the codecs see of PageRank passes through here.
#include "sums.hpp"

#include <qr_mpi/qr_mpi.h>

#include "common/mpi_check.hpp"

namespace examples {

namespace {

struct CodecSum {
  MPI_Comm comm;
  std::vector<float> buffer = {};

  void operator()(std::vector<double>& values) {
    buffer.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) buffer[i] = static_cast<float>(values[i]);
    const int count = static_cast<int>(buffer.size());
    check(qr_mpi_allreduce(MPI_IN_PLACE, buffer.data(), count, MPI_FLOAT, MPI_SUM, comm));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(buffer[i]);
  }
};

struct SumOfChanges {
  CodecSum through_codec;
  CodecSum exact;
  int calls = 0;
  std::vector<double> last = {};   // this rank's contributions in the call before
  std::vector<double> total = {};  // what all ranks hold to be their sum

  void operator()(std::vector<double>& values) {
    if (calls++ % kRefreshPeriod == 0) {
      last = values;
      exact(values);
      total = values;
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double now = values[i];
      values[i] -= last[i];
      last[i] = now;
    }
    through_codec(values);
    for (std::size_t i = 0; i < values.size(); ++i) total[i] += values[i];
    values = total;
  }
};

}  // namespace

SumOverRanks exact_sum(MPI_Comm comm) {
  return [comm](std::vector<double>& values) {
    const int count = static_cast<int>(values.size());
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_DOUBLE, MPI_SUM, comm));
  };
}

SumOverRanks codec_sum(MPI_Comm comm) { return CodecSum{comm}; }

SumOverRanks sum_of_changes(MPI_Comm comm, MPI_Comm exact_comm) {
  return SumOfChanges{CodecSum{comm}, CodecSum{exact_comm}};
}

}  // namespace examples
