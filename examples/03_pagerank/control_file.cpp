// Reads "Field: value" paragraphs; a line that begins with a blank continues the field above it.
#include "control_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace examples {

namespace {

/// Where the value of `field` goes, or null for the many fields that a graph does not need.
std::string* member_for(std::string_view field, Package& package) {
  if (field == "Package") return &package.name;
  if (field == "Status") return &package.status;
  if (field == "Provides") return &package.provides;
  if (field == "Depends" || field == "Pre-Depends") return &package.depends;
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Calls `use` with each trimmed, non-empty part of `text`.
template <class Use>
void for_each_part(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) use(part);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

}  // namespace

std::vector<Package> read_control_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot open {}", path));
  std::vector<Package> packages;
  Package package;
  std::string* member = nullptr;
  std::string line;
  const auto finish_package = [&] {
    if (!package.name.empty()) packages.push_back(std::move(package));
    package = {};
    member = nullptr;
  };
  while (std::getline(file, line)) {
    if (line.empty()) {
      finish_package();
    } else if (line[0] == ' ' || line[0] == '\t') {
      if (member) *member += line;
    } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      member = member_for(std::string_view(line).substr(0, colon), package);
      if (!member) continue;
      if (!member->empty()) *member += ',';  // Depends after Pre-Depends
      *member += trimmed(std::string_view(line).substr(colon + 1));
    }
  }
  finish_package();
  if (packages.empty()) throw std::runtime_error(fmt::format("{} lists no packages", path));
  return packages;
}

std::vector<std::vector<std::string_view>> parse_relations(std::string_view field) {
  std::vector<std::vector<std::string_view>> relations;
  for_each_part(field, ',', [&](std::string_view relation) {
    std::vector<std::string_view>& alternatives = relations.emplace_back();
    for_each_part(relation, '|', [&](std::string_view alternative) {
      alternatives.push_back(alternative.substr(0, alternative.find_first_of(" \t:([<")));
    });
  });
  return relations;
}

std::vector<std::string> package_files_of_this_machine() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code ignored;  // no such folder: not a Debian machine, or no lists on it
  for (const auto& entry : fs::directory_iterator("/var/lib/apt/lists", ignored)) {
    if (entry.path().native().ends_with("_Packages")) files.push_back(entry.path());
  }
  const std::string dpkg = "/var/lib/dpkg/status";
  if (files.empty() && fs::exists(dpkg, ignored)) files.push_back(dpkg);
  return files;
}

}  // namespace examples
