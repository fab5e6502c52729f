// One rank's forward pass: up projection, GeLU, down projection, all-reduce; layer after layer.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "network.hpp"

namespace examples {

/// What some passes took, and the values of the last one.
struct Passes {
  double pass_us = 0;  // median
  double sums_us = 0;  // median of the same all-reduces without the projections between them
  std::vector<std::vector<Bf16>> partial;  // of each layer: this rank's term, tokens x width
  std::vector<std::vector<Bf16>> sum;      // of each layer: its output
};

/// Holds a share of the network in one kind of memory.
class Forward {
 public:
  Forward() = default;
  virtual ~Forward() = default;
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  /// Collective over `comm`, whose codec the sums use.
  virtual Passes run(MPI_Comm comm, int passes) = 0;
};

std::unique_ptr<Forward> make_host_forward(const NetworkShare& share);
/// On the current device, as a graph; null if the examples were built without a GPU.
std::unique_ptr<Forward> make_device_forward(const NetworkShare& share);

/// Of at least one value.
double median(std::vector<double> values);

}  // namespace examples
