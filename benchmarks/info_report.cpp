// Reads and prints the parts of qr_mpi_info.
#include "info_report.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "report.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

std::string variable_of(const std::string& key) {
  std::string name = "QR_MPI_";
  for (const char letter : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

std::string size_or_unknown(std::int64_t bytes) { return bytes > 0 ? text_from_bytes(bytes) : "unknown"; }

/// "< 512 KiB" reads better than the size of the last vector below it.
std::string end_of(const TypePlans& type, const PlanRange& range) {
  const bool last = range.last_bytes == type.ranges.back().last_bytes;
  const auto next = range.last_bytes + static_cast<std::int64_t>(bytes_of(type.element));
  return last ? text_from_bytes(range.last_bytes) : "< " + text_from_bytes(next);
}

}  // namespace

Build read_build() {
  Build build{qr_mpi_version(), QR_MPI_VERSION, {}};
  for (int index = 0; index < qr_mpi_codec_count(); ++index) {
    build.codecs.push_back(
        {qr_mpi_codec_name(index), qr_mpi_codec_bits_per_value(index), qr_mpi_codec_error(index)});
  }
  return build;
}

std::vector<Setting> read_settings(MPI_Comm comm) {
  std::vector<Setting> settings;
  for (auto& [key, value] : get_settings(comm)) {
    const std::string variable = variable_of(key);
    const bool set = std::getenv(variable.c_str()) != nullptr;
    settings.push_back({key, value, set ? variable : "default"});
  }
  return settings;
}

std::vector<TypePlans> read_plans(MPI_Comm comm, bool on_device) {
  std::vector<TypePlans> plans;
  for (const Element element : {Element::kFloat, Element::kDouble, Element::kFloat16, Element::kBFloat16}) {
    plans.push_back({element, plan_ranges(comm, element, Operation::kSum, on_device)});
  }
  return plans;
}

void print_build(const Build& build, const Machine& machine, const Layout& layout,
                 const std::string& devices) {
  fmt::print("Built\n  qr_mpi {}", build.library_version);
  if (build.library_version != build.header_version) fmt::print(" (this program: {})", build.header_version);
  fmt::print(
      " on {}\n  {:<6}  {:>10}  error of one quantization, in units of the block's largest magnitude\n",
      machine.mpi, "codec", "bits/value");
  for (const CodecFacts& codec : build.codecs) {
    const std::string bits = codec.error == 0 ? "as is" : fmt::format("{:.1f}", codec.bits_per_value);
    const std::string error = codec.error == 0 ? "none" : fmt::format("at most {:.4f}", codec.error);
    fmt::print("  {:<6}  {:>10}  {}\n", codec.name, bits, error);
  }
  fmt::print("\nThis machine\n  {}\n  {} cores, {} for rank 0; {} last-level cache\n", machine.cpu,
             machine.cores, machine.usable_cores, size_or_unknown(machine.cache_bytes));
  fmt::print("  {} memory, {} free; /dev/shm {}, {} free\n  {}\n", size_or_unknown(machine.memory_bytes),
             size_or_unknown(machine.free_bytes), size_or_unknown(machine.shm_bytes),
             text_from_bytes(machine.shm_free_bytes), machine.system);
  fmt::print("  {} rank(s) on {} node(s){}\n", layout.ranks, layout.nodes,
             oversubscribed(machine, layout) ? ": more than there are cores" : "");
  if (!devices.empty()) fmt::print("  {}\n", devices);
  std::fflush(stdout);
}

void print_choices(const std::vector<Setting>& settings, const std::vector<TypePlans>& plans,
                   const Layout& layout) {
  fmt::print("\nIn force on MPI_COMM_WORLD\n");
  for (const Setting& setting : settings) {
    fmt::print("  {:<12} {:<12} ({})\n", setting.key, setting.value.empty() ? "-" : setting.value,
               setting.origin);
  }
  fmt::print("\nWhat a sum over {} rank(s) in host memory would do\n  {:<9} {:>12} {:>14}  {:<9} {:<6} why\n",
             layout.ranks, "type", "from", "to", "algorithm", "codec");
  for (const TypePlans& type : plans) {
    for (const PlanRange& range : type.ranges) {
      fmt::print("  {:<9} {:>12} {:>14}  {:<9} {:<6} {}\n", name_of(type.element),
                 text_from_bytes(range.first_bytes), end_of(type, range), range.plan.algorithm,
                 range.plan.codec, range.plan.reason);
    }
  }
}

void print_device(const DevicePlans& device) {
  fmt::print("\nDevice memory\n");
  if (device.device.empty()) {
    fmt::print("  none: {}\n", device.absent);
    return;
  }
  fmt::print("  {} for rank 0; {}\n", device.device,
             device.table.empty() ? device.absent : "tuning table " + device.table);
  if (device.table.empty()) return;
  fmt::print("  {:<9} {:>12} {:>14}  {:<9} {:<6} {:>21}  why\n", "type", "from", "to", "form", "codec",
             "predicted us");
  for (const TypePlans& type : device.plans) {
    for (const PlanRange& range : type.ranges) {
      fmt::print("  {:<9} {:>12} {:>14}  {:<9} {:<6} {:>21}  {}\n", name_of(type.element),
                 text_from_bytes(range.first_bytes), end_of(type, range), range.plan.algorithm,
                 range.plan.codec, fmt::format("{:.4g} to {:.4g}", range.first.us, range.last.us),
                 range.plan.reason);
    }
  }
}

nlohmann::json json_of(const Build& build, const Machine& machine, const Layout& layout,
                       const std::string& devices, const std::vector<Setting>& settings,
                       const std::vector<TypePlans>& plans) {
  nlohmann::json json{{"qr_mpi", build.library_version},
                      {"qr_mpi_header", build.header_version},
                      {"machine", json_of(machine)},
                      {"layout", json_of(layout)}};
  if (!devices.empty()) json["devices"] = devices;
  for (const CodecFacts& codec : build.codecs) {
    json["codecs"].push_back(
        {{"name", codec.name}, {"bits_per_value", codec.bits_per_value}, {"error", codec.error}});
  }
  for (const Setting& setting : settings) {
    json["settings"][setting.key] = {{"value", setting.value}, {"origin", setting.origin}};
  }
  for (const TypePlans& type : plans) {
    for (const PlanRange& range : type.ranges) {
      json["plans"].push_back({{"type", name_of(type.element)},
                               {"op", name_of(Operation::kSum)},
                               {"first_bytes", range.first_bytes},
                               {"last_bytes", range.last_bytes},
                               {"algorithm", range.plan.algorithm},
                               {"codec", range.plan.codec},
                               {"reason", range.plan.reason}});
    }
  }
  return json;
}

nlohmann::json json_of(const DevicePlans& device) {
  if (device.device.empty()) return {{"absent", device.absent}};
  nlohmann::json json{{"device", device.device}, {"tuning_table", device.table}};
  for (const TypePlans& type : device.plans) {
    for (const PlanRange& range : type.ranges) {
      json["plans"].push_back({{"type", name_of(type.element)},
                               {"op", name_of(Operation::kSum)},
                               {"first_bytes", range.first_bytes},
                               {"last_bytes", range.last_bytes},
                               {"form", range.plan.algorithm},
                               {"codec", range.plan.codec},
                               {"first_us", range.first.us},
                               {"last_us", range.last.us},
                               {"reason", range.plan.reason}});
    }
  }
  return json;
}

}  // namespace qr::bench
