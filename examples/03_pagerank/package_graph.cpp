// Resolves the names of dependencies to nodes.
#include "package_graph.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace examples {

namespace {

using NodeOfName = std::unordered_map<std::string_view, int>;

bool is_installed(const Package& package) {
  return package.status.empty() || package.status.ends_with(" installed");
}

std::optional<int> resolve(const std::vector<std::string_view>& alternatives, const NodeOfName& real,
                           const NodeOfName& provided) {
  for (const std::string_view name : alternatives) {
    for (const NodeOfName* const nodes : {&real, &provided}) {
      if (const auto found = nodes->find(name); found != nodes->end()) return found->second;
    }
  }
  return std::nullopt;
}

}  // namespace

PackageGraph make_package_graph(const std::vector<Package>& packages) {
  PackageGraph graph;
  NodeOfName real;
  std::vector<const Package*> package_of_node;
  for (const Package& package : packages) {
    if (!is_installed(package)) continue;
    // A name can come twice, from several lists or architectures: the first one stands for all.
    if (!real.emplace(package.name, static_cast<int>(graph.names.size())).second) continue;
    graph.names.push_back(package.name);
    package_of_node.push_back(&package);
  }

  NodeOfName provided;
  for (std::size_t node = 0; node < package_of_node.size(); ++node) {
    for (const auto& names : parse_relations(package_of_node[node]->provides)) {
      for (const std::string_view name : names) provided.emplace(name, static_cast<int>(node));
    }
  }

  for (std::size_t node = 0; node < package_of_node.size(); ++node) {
    const int from = static_cast<int>(node);
    for (const auto& alternatives : parse_relations(package_of_node[node]->depends)) {
      const std::optional<int> to = resolve(alternatives, real, provided);
      if (to && *to != from) graph.edges.push_back({from, *to});
    }
  }
  std::sort(graph.edges.begin(), graph.edges.end());
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  return graph;
}

}  // namespace examples
