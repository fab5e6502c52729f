// The parts of qr_mpi_info's report: read from the public API, printed as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "elements.hpp"
#include "machine.hpp"
#include "plan_ranges.hpp"

namespace qr::bench {

struct CodecFacts {
  std::string name;
  double bits_per_value = 0;
  double error = 0;  // bound on one quantization in units of the block's largest magnitude
};

struct Build {
  std::string library_version, header_version;
  std::vector<CodecFacts> codecs;
};

struct Setting {
  std::string key, value, origin;
};

struct TypePlans {
  Element element;
  std::vector<PlanRange> ranges;
};

/// Plans for device memory.
struct DevicePlans {
  std::string device;  // empty: there is none, and `absent` says why
  std::string table;   // the tuning table behind the plans; empty: there are none, and `absent` says why
  std::string absent;
  std::vector<TypePlans> plans;
};

Build read_build();
/// Collective on the first use of `comm`. The origin of a value is this process' environment or the default.
std::vector<Setting> read_settings(MPI_Comm comm);
std::vector<TypePlans> read_plans(MPI_Comm comm, bool on_device = false);

/// `devices`: a line about them, or empty.
void print_build(const Build& build, const Machine& machine, const Layout& layout,
                 const std::string& devices);
void print_choices(const std::vector<Setting>& settings, const std::vector<TypePlans>& plans,
                   const Layout& layout);
void print_device(const DevicePlans& device);
nlohmann::json json_of(const Build& build, const Machine& machine, const Layout& layout,
                       const std::string& devices, const std::vector<Setting>& settings,
                       const std::vector<TypePlans>& plans);
nlohmann::json json_of(const DevicePlans& device);

}  // namespace qr::bench
