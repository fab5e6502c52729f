// Deals the edges out and counts the degrees.
#include "graph_share.hpp"

#include "common/mpi_check.hpp"

namespace examples {

namespace {

static_assert(sizeof(Edge) == 2 * sizeof(int), "an Edge travels as MPI_2INT");

void sum_in_place(std::vector<int>& values, MPI_Comm comm) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_SUM, comm));
}

}  // namespace

GraphShare share_graph(const PackageGraph& graph, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  check(MPI_Comm_rank(comm, &rank));
  check(MPI_Comm_size(comm, &ranks));
  int sizes[2] = {static_cast<int>(graph.names.size()), static_cast<int>(graph.edges.size())};
  check(MPI_Bcast(sizes, 2, MPI_INT, 0, comm));
  const auto [nodes, edges] = sizes;

  std::vector<int> counts(static_cast<std::size_t>(ranks), edges / ranks);
  std::vector<int> begins(counts.size());
  for (std::size_t to = 0; to < counts.size(); ++to) {
    if (static_cast<int>(to) < edges % ranks) ++counts[to];
    if (to > 0) begins[to] = begins[to - 1] + counts[to - 1];
  }
  const int mine = counts[static_cast<std::size_t>(rank)];
  GraphShare share;
  share.nodes = nodes;
  share.edges.resize(static_cast<std::size_t>(mine));
  check(MPI_Scatterv(graph.edges.data(), counts.data(), begins.data(), MPI_2INT, share.edges.data(), mine,
                     MPI_2INT, 0, comm));

  share.in_degree.resize(static_cast<std::size_t>(nodes));
  share.out_degree.resize(static_cast<std::size_t>(nodes));
  for (const Edge& edge : share.edges) {
    ++share.in_degree[static_cast<std::size_t>(edge.to)];
    ++share.out_degree[static_cast<std::size_t>(edge.from)];
  }
  sum_in_place(share.in_degree, comm);
  sum_in_place(share.out_degree, comm);
  return share;
}

}  // namespace examples
