// The JSON form of a report.
#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "report.hpp"

namespace qr::bench {
namespace {

/// JSON knows no infinities and no NaN.
nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"min_us", timing.min_us},
          {"samples", timing.samples},
          {"batch", timing.batch}};
}

}  // namespace

nlohmann::json json_of(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"usable_cores", machine.usable_cores},
          {"last_level_cache_bytes", machine.cache_bytes},
          {"memory_bytes", machine.memory_bytes},
          {"free_bytes", machine.free_bytes},
          {"dev_shm_bytes", machine.shm_bytes},
          {"dev_shm_free_bytes", machine.shm_free_bytes},
          {"load_average", machine.load},
          {"system", machine.system},
          {"mpi", machine.mpi},
          {"date", machine.date}};
}

nlohmann::json json_of(const Layout& layout) {
  return {{"ranks", layout.ranks}, {"nodes", layout.nodes}, {"ranks_per_node", layout.ranks_per_node}};
}

nlohmann::json json_of(const DeviceFacts& facts) {
  nlohmann::json json{{"name", facts.device},
                      {"runtime", facts.runtime},
                      {"devices", facts.devices},
                      {"most_ranks_on_one", facts.most_sharers},
                      {"mpi_gpu_aware", facts.mpi_gpu_aware}};
  json["through_host_because"] =
      facts.no_kernels.empty() ? nlohmann::json(nullptr) : nlohmann::json(facts.no_kernels);
  json["nccl"] = {{"kind", facts.nccl_kind}};
  if (!facts.nccl_settings.empty()) json["nccl"]["settings"] = facts.nccl_settings;
  json["nccl"][facts.nccl.empty() ? "absent_because" : "version"] =
      facts.nccl.empty() ? facts.nccl_absent : facts.nccl;
  if (facts.peer_gb_per_s > 0) {
    json["peer_copy"] = {{"gb_per_s", facts.peer_gb_per_s},
                         {"bytes_sent_by_a_rank", facts.peer_sent_bytes},
                         {"is_link_rate", facts.peer_rate_is_link()}};
  } else {
    json["peer_copy"] = {{"absent_because", facts.peer_absent}};
  }
  return json;
}

nlohmann::json json_of(const Row& row) {
  nlohmann::json json{{"bytes", row.bytes()},
                      {"count", row.count},
                      {"type", name_of(row.element)},
                      {"op", name_of(row.operation)},
                      {"codec", row.plan.codec},
                      {"algorithm", row.plan.algorithm},
                      {"algorithm_asked", row.algorithm_asked},
                      {"reason", row.plan.reason},
                      {"mode", name_of(row.mode)},
                      {"time", json_of(row.ours)},
                      {"algbw_gb_per_s", row.algorithm_gb_per_s()},
                      {"busbw_gb_per_s", row.bus_gb_per_s()},
                      {"passed", row.passed()}};
  if (row.rival) {
    json["mpi_time"] = json_of(*row.rival);
    json["speed_up"] = row.speed_up();
    json["speed_up_of_least"] = row.rival->min_us / row.ours.min_us;
  }
  if (row.mpi_staged) json["mpi_staged"] = true;
  if (row.nccl) {
    json["nccl_time"] = json_of(*row.nccl);
    json["speed_up_over_nccl"] = row.speed_up_over_nccl();
  }
  if (row.wire_bytes) {
    json["wire_bytes"] = *row.wire_bytes;
    json["wire_gb_per_s"] = row.wire_gb_per_s();
  }
  if (row.peer_share) json["peer_share"] = *row.peer_share;
  if (row.stream_share) json["stream_share"] = *row.stream_share;
  if (row.accuracy) {
    json["exact"] = std::isinf(row.accuracy->sqnr_db);
    json["sqnr_db"] = number_or_null(row.accuracy->sqnr_db);
    json["max_error"] = number_or_null(row.accuracy->max_error);
    json["bound_share"] = number_or_null(row.accuracy->bound_share);
    json["same_bits"] = row.accuracy->same_bits;
  }
  return json;
}

void write_json(const std::string& path, const nlohmann::json& head,
                const std::vector<nlohmann::json>& rows) {
  std::ofstream file(path);
  file << "{\n";
  for (const auto& [key, value] : head.items()) file << nlohmann::json(key) << ": " << value << ",\n";
  file << "\"rows\": [";
  for (std::size_t index = 0; index < rows.size(); ++index)
    file << (index == 0 ? "\n" : ",\n") << rows[index];
  file << "\n]\n}\n";
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace qr::bench
