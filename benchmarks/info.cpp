// qr_mpi_info: what was built, what this machine offers, what is in force, and what a call would do. Under
// mpirun or alone.
#include <fmt/format.h>

#include "command_line.hpp"
#include "info_report.hpp"
#include "mpi_support.hpp"

namespace qr::bench {
namespace {

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
  if (first && !json) print_build(build, machine, layout);
  const std::vector<Setting> settings = read_settings(MPI_COMM_WORLD);
  const std::vector<TypePlans> plans = read_plans(MPI_COMM_WORLD);
  if (first && !json) print_choices(settings, plans, layout);
  if (first && json) fmt::print("{}\n", json_of(build, machine, layout, settings, plans).dump(2));
  return 0;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::info); }
