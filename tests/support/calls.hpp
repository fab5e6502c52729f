// Calls that ranks can disagree about, and one that shows that a communicator works.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "codecs.hpp"
#include "mpi_check.hpp"

namespace qr_test {

struct Call {
  int count;
  MPI_Datatype datatype;
  MPI_Op op;
};

/// On zeros of every type.
inline int run(const Comm& comm, const Call& call) {
  std::vector<double> send(static_cast<std::size_t>(call.count), 0), recv(send.size());
  return qr_mpi_allreduce(send.data(), recv.data(), call.count, call.datatype, call.op, comm.get());
}

inline testing::AssertionResult works(const Comm& comm) {
  std::vector<float> ones(3000, 1), recv(3000);
  const int code = sum(ones.data(), recv.data(), 3000, comm.get());
  if (code != MPI_SUCCESS) return succeeded(code);
  if (recv == std::vector<float>(3000, static_cast<float>(comm.size()))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "sum of ones is " << recv.front();
}

}  // namespace qr_test
