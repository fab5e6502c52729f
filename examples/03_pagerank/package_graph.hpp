// Packages and what they depend on, as a graph.
#pragma once

#include <string>
#include <vector>

#include "control_file.hpp"

namespace examples {

/// From a package to one that it needs. Two ints, sent as MPI_2INT.
struct Edge {
  int from;
  int to;
  auto operator<=>(const Edge&) const = default;
};

struct PackageGraph {
  std::vector<std::string> names;  // node k is the package names[k]
  std::vector<Edge> edges;         // sorted, no edge twice, none from a package to itself
};

/// Each dependency leads to its first alternative that exists, by its own name or, failing that, by the first
/// package that provides it. Dependencies that nothing satisfies, and packages that dpkg knows but has not
/// installed, are left out.
PackageGraph make_package_graph(const std::vector<Package>& packages);

}  // namespace examples
