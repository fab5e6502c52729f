// The accuracy program: noise of every codec on 2^20 nearly Gaussian values against the targets, on 8 ranks.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "check.hpp"
#include "command_line.hpp"
#include "inputs.hpp"
#include "report.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 20;
constexpr int kRanks = 8;

struct Target {
  std::string_view codec, algorithm;
  int ranks;
  Element element;
  double sqnr_db;
};

constexpr std::array kTargets{
    Target{"int8", "two_shot", 8, Element::kFloat, 42.0},
    Target{"int6", "two_shot", 8, Element::kFloat, 30.3},
    Target{"int4", "two_shot", 8, Element::kFloat, 18.4},
    Target{"int3", "two_shot", 8, Element::kFloat, 12.3},
    Target{"int4", "exchange", 2, Element::kFloat, 21.2},
    Target{"int3", "exchange", 2, Element::kFloat, 15.0},
    Target{"raw", "two_shot", 8, Element::kBFloat16, 55.0},
};

struct Measurement {
  std::string codec, algorithm;
  int ranks = 0;
  Element element = Element::kFloat;
  bool as_asked = false;  // the library took the codec and the algorithm that were asked for
  Accuracy accuracy;
  std::optional<double> target;

  [[nodiscard]] bool passed() const {
    return as_asked && accuracy.passed() && (!target || accuracy.sqnr_db >= *target);
  }
};

std::optional<double> target_of(const Measurement& what) {
  for (const Target& target : kTargets) {
    if (target.codec == what.codec && target.algorithm == what.algorithm && target.ranks == what.ranks &&
        target.element == what.element) {
      return target.sqnr_db;
    }
  }
  return std::nullopt;
}

/// Collective over `comm`, a communicator with state of its own for the library.
void measure(Measurement& what, MPI_Comm comm) {
  const MPI_Datatype datatype = mpi_type_of(what.element);
  const auto bytes = static_cast<std::size_t>(kCount) * bytes_of(what.element);
  std::vector<unsigned char> input(bytes), output(bytes);
  fill_inputs(input.data(), kCount, what.element, rank_of(comm));
  set_settings(comm, {{"codec", what.codec}, {"algorithm", what.algorithm}});
  const PlanText plan = plan_of(comm, kCount, datatype, MPI_SUM);
  what.as_asked = plan.codec == what.codec && plan.algorithm == what.algorithm;
  check(qr_mpi_allreduce_c(input.data(), output.data(), kCount, datatype, MPI_SUM, comm),
        "qr_mpi_allreduce_c");
  what.accuracy =
      check_result(output.data(), kCount, what.element, Operation::kSum, codec_error_of(plan.codec), comm);
  what.target = target_of(what);
}

std::vector<Measurement> plan_measurements() {
  std::vector<Measurement> list;
  for (const std::string& codec : codec_names()) {
    for (const int ranks : {2, kRanks}) {
      for (const char* algorithm : {"exchange", "two_shot"}) {
        list.push_back({codec, algorithm, ranks, Element::kFloat, false, {}, {}});
      }
    }
  }
  for (const Element element : {Element::kFloat16, Element::kBFloat16}) {
    for (const std::string& codec : codec_names()) {
      list.push_back({codec, "two_shot", kRanks, element, false, {}, {}});
    }
  }
  return list;
}

void print(const Measurement& row) {
  const double noise = row.accuracy.sqnr_db;
  const std::string target = row.target ? fmt::format("{:.1f}", *row.target) : "-";
  const char* verdict = row.passed()              ? "ok"
                        : !row.as_asked           ? "FAIL: another codec or algorithm was used"
                        : !row.accuracy.same_bits ? "FAIL: bits differ between ranks"
                        : !row.accuracy.passed()  ? "FAIL: error above the bound"
                                                  : "FAIL: below the target";
  fmt::print("{:<6} {:<9} {:<9} {:>3} {:>8} {:>8} {:>10.2e} {:>8.2f}  {}\n", row.codec, name_of(row.element),
             row.algorithm, row.ranks, std::isinf(noise) ? "exact" : fmt::format("{:.2f}", noise), target,
             row.accuracy.max_error, row.accuracy.bound_share, verdict);
  std::fflush(stdout);
}

nlohmann::json json_line(const Measurement& row) {
  const double noise = row.accuracy.sqnr_db;
  nlohmann::json json{{"codec", row.codec},
                      {"type", name_of(row.element)},
                      {"algorithm", row.algorithm},
                      {"ranks", row.ranks},
                      {"sqnr_db", std::isfinite(noise) ? nlohmann::json(noise) : nlohmann::json(nullptr)},
                      {"max_error", row.accuracy.max_error},
                      {"bound_share", row.accuracy.bound_share},
                      {"same_bits", row.accuracy.same_bits},
                      {"passed", row.passed()}};
  if (row.target) json["target_db"] = *row.target;
  return json;
}

int accuracy(int argc, char** argv) {
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  CLI::App app("Noise of every codec on 2^20 nearly Gaussian values, compared with the targets.", "accuracy");
  std::string json_file;
  app.add_option("--json", json_file, "write the table to this file");
  if (const auto code = parse_command_line(app, argc, argv, first)) return *code;
  if (size_of(MPI_COMM_WORLD) < kRanks) {
    if (first) fmt::print(stderr, "accuracy: needs {} ranks: mpirun -np {} accuracy\n", kRanks, kRanks);
    return 2;
  }
  if (first) {
    fmt::print("# qr_mpi {}: sum of {} values a rank, mean 0 and deviation 1\n", qr_mpi_version(), kCount);
    fmt::print("{:<6} {:<9} {:<9} {:>3} {:>8} {:>8} {:>10} {:>8}\n", "codec", "type", "algorithm", "n",
               "SQNR dB", "target", "max error", "of bound");
  }
  const OwnedComm pair(MPI_COMM_WORLD, 2);
  const OwnedComm eight(MPI_COMM_WORLD, kRanks);
  std::vector<nlohmann::json> lines;
  int failed = 0;
  for (Measurement& row : plan_measurements()) {
    const OwnedComm& comm = row.ranks == 2 ? pair : eight;
    if (comm.null()) continue;
    measure(row, comm.get());
    failed += row.passed() ? 0 : 1;
    if (first) print(row);
    if (first) lines.push_back(json_line(row));
  }
  if (first && !json_file.empty()) {
    write_json(json_file,
               {{"program", "accuracy"},
                {"qr_mpi", qr_mpi_version()},
                {"machine", json_of(read_machine())},
                {"count", kCount}},
               lines);
  }
  if (first) fmt::print("# {} failed\n", failed);
  check(MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::accuracy); }
