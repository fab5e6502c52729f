// Debian control files: a package database as a list of packages with the fields that make a graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace examples {

struct Package {
  std::string name;
  std::string status;  // only in dpkg's own database
  std::string provides;
  std::string depends;  // Pre-Depends and Depends
};

/// Throws std::runtime_error if the file cannot be read or has no package in it.
std::vector<Package> read_control_file(const std::string& path);

/// Splits a relation field into its alternatives: "a (>= 1) | b, c:any" is {{a, b}, {c}}. Versions,
/// architectures and build profiles are dropped.
std::vector<std::vector<std::string_view>> parse_relations(std::string_view field);

/// The package lists of this machine: those that apt has downloaded uncompressed, else dpkg's database; empty
/// if neither.
std::vector<std::string> package_files_of_this_machine();

}  // namespace examples
