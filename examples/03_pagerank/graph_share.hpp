// One rank's part of a graph whose edges are dealt out over the ranks.
#pragma once

#include <mpi.h>

#include <vector>

#include "package_graph.hpp"

namespace examples {

struct GraphShare {
  int nodes = 0;
  std::vector<Edge> edges;     // this rank's
  std::vector<int> in_degree;  // of every node, over all ranks' edges
  std::vector<int> out_degree;
};

/// Collective. Gives every rank an equal slice of rank 0's edges; `graph` is read on rank 0 only.
GraphShare share_graph(const PackageGraph& graph, MPI_Comm comm);

}  // namespace examples
