// qr_mpi_info: what was built, what this machine offers, what is in force, and what a call would do. Under
// mpirun or alone.
#include <fmt/format.h>

#include <string>

#include "command_line.hpp"
#include "info_report.hpp"
#include "mpi_support.hpp"
#ifdef QR_BENCH_DEVICE
#include "gpu/device.hpp"
#endif

namespace qr::bench {
namespace {

/// Collective. What the ranks' devices are, or why there are none; empty in a build without a GPU back end.
std::string describe_devices() {
#ifdef QR_BENCH_DEVICE
  try {
    const Device device = choose_device(MPI_COMM_WORLD);
    return fmt::format("{} device(s) {} of {} multiprocessors, {} rank(s) on the fullest; {}", device.devices,
                       device.name, device.multiprocessors, device.most_sharers, device.runtime);
  } catch (const CommonError& error) {
    return fmt::format("no device memory: {}", error.what());
  }
#else
  return {};
#endif
}

/// Collective. The ranks of a node take its GPUs in turn, as in qr_mpi_bench.
DevicePlans read_device_plans(MPI_Comm comm) {
  DevicePlans plans;
#if defined(QR_BENCH_DEVICE)
  try {
    plans.device = choose_device(comm).name;
  } catch (const CommonError& error) {
    plans.absent = error.what();
    return plans;
  }
  plans.table = prediction_of(comm, 1, MPI_FLOAT, MPI_SUM).table;
  if (plans.table.empty()) {
    plans.absent = size_of(comm) == 1 ? "a single rank has no plans" : "calls go through host memory";
    return plans;
  }
  plans.plans = read_plans(comm, true);
#else
  static_cast<void>(comm);
  plans.absent = "this build has no GPU back end";
#endif
  return plans;
}

int info(int argc, char** argv) {
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  CLI::App app("What this build of qr_mpi offers and would do on MPI_COMM_WORLD.", "qr_mpi_info");
  bool json = false;
  app.add_flag("--json", json, "print one JSON object instead of text");
  app.footer(
      "Settings are QR_MPI_* variables: QR_MPI_CODEC=int4 mpirun -np 8 qr_mpi_info shows what that changes.");
  if (const auto code = parse_command_line(app, argc, argv, first)) return *code;
  // The parts that cannot fail come first, so that a bad setting still leaves something to read.
  const Build build = read_build();
  const Machine machine = read_machine();
  const Layout layout = read_layout(MPI_COMM_WORLD);
  const std::string devices = describe_devices();
  if (first && !json) print_build(build, machine, layout, devices);
  const std::vector<Setting> settings = read_settings(MPI_COMM_WORLD);
  const std::vector<TypePlans> plans = read_plans(MPI_COMM_WORLD);
  if (first && !json) print_choices(settings, plans, layout);
  const DevicePlans device = read_device_plans(MPI_COMM_WORLD);
  if (first && !json) print_device(device);
  if (first && json) {
    nlohmann::json report = json_of(build, machine, layout, devices, settings, plans);
    report["device"] = json_of(device);
    fmt::print("{}\n", report.dump(2));
  }
  return 0;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::info); }
