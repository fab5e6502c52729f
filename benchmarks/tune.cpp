// qr_mpi_tune: measures the times and rates of this node's GPUs, writes them to a tuning table, and checks
// that plans made from it are right. Run it under mpirun, one rank a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command_line.hpp"
#include "gpu/tune_check.hpp"
#include "gpu/tune_measure.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

struct TuneOptions {
  std::string output, codecs = "all", types = "bfloat16,float", min = "4K", max = "64M", auto_codec = "int8";
  double factor = 4, seconds = 0.05;
  bool no_sweep = false, check = false;
};

void declare(CLI::App& app, TuneOptions& options) {
  app.add_option("-o,--output", options.output, "write the table to this file (rank 0 writes it)");
  app.add_flag("--check", options.check,
               fmt::format("exit code 1 if codec=auto is more than {} times as slow as the best at any size",
                           kLargestRatio));
  app.add_flag("--no-sweep", options.no_sweep, "only measure and write");
  app.add_option("-c,--codecs", options.codecs, "codecs to measure; raw and auto's are among them anyway")
      ->capture_default_str();
  app.add_option("--auto-codec", options.auto_codec, "what codec=auto may take in the sweep")
      ->capture_default_str();
  app.add_option("-t,--types", options.types, "types of the sweep: float,float16,bfloat16")
      ->capture_default_str();
  app.add_option("-b,--min", options.min, "smallest message of the sweep")->capture_default_str();
  app.add_option("-e,--max", options.max, "largest message of the sweep")->capture_default_str();
  app.add_option("-f,--factor", options.factor, "step between sizes")
      ->capture_default_str()
      ->check(CLI::Range(1.01, 1e9));
  app.add_option("--seconds", options.seconds, "measuring time of each call")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 60.0));
  app.footer(
      "Example: mpirun -np 8 qr_mpi_tune -o node.txt --check, then QR_MPI_TUNING=node.txt mpirun -np 8 "
      "./program\n"
      "Without -o the sweep alone, by the table in force (QR_MPI_TUNING, or the one that is built in).");
}

std::vector<std::string> known_codecs(const std::string& list, const std::string& auto_codec) {
  const std::vector<std::string> all = codec_names();
  std::vector<std::string> wanted = list == "all" ? all : split_list(list);
  wanted.push_back("raw");
  wanted.push_back(auto_codec);
  std::vector<std::string> codecs;
  for (const std::string& name : all) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) codecs.push_back(name);
  }
  for (const std::string& name : wanted) {
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw CLI::ValidationError(fmt::format("no codec '{}'; known: all {}", name, join(all, " ")));
  }
  if (auto_codec == "raw") throw CLI::ValidationError("--auto-codec is a lossy codec");
  return codecs;
}

std::vector<Element> known_types(const std::string& list) {
  std::vector<Element> types;
  for (const std::string& name : split_list(list)) {
    bool found = false;
    for (const Element element : {Element::kFloat, Element::kFloat16, Element::kBFloat16}) {
      if (name != name_of(element)) continue;
      types.push_back(element);
      found = true;
    }
    if (!found)
      throw CLI::ValidationError(
          fmt::format("no type '{}' for lossy codecs; known: float float16 bfloat16", name));
  }
  return types;
}

std::vector<std::int64_t> sizes_of(const TuneOptions& options) {
  BenchOptions sizes;
  try {
    sizes.min_bytes = bytes_from_text(options.min);
    sizes.max_bytes = bytes_from_text(options.max);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError(error.what());
  }
  if (sizes.max_bytes < sizes.min_bytes) throw CLI::ValidationError("--max is less than --min");
  sizes.factor = options.factor;
  return sizes.sizes();
}

/// The table that the settings in force stand for, on rank 0; the library has read it already.
Tuning table_in_force(const std::string& setting, const Device& device, bool first) {
  if (setting == "auto") return shared_tuning(built_in_tuning(device.name), device.sharers);
  return first ? read_tuning(setting) : Tuning{};
}

std::string head_of(const TuneBench& bench, int argc, char** argv) {
  const Device& device = bench.device();
  const Machine machine = read_machine();
  return fmt::format("# {}\n# qr_mpi {}, {}, {} rank(s) on {} device(s) {}{}; {}\n# {}; {}; {}\n",
                     command_line_of(argc, argv), qr_mpi_version(), machine.mpi, bench.ranks(),
                     device.devices, device.name, device.most_sharers > 1 ? " (shared: no links)" : "",
                     device.runtime, machine.cpu, machine.system, machine.date);
}

int tune(int argc, char** argv) {
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  CLI::App app(
      "Measures the GPUs of this node and writes the table that plans for device memory are made from.",
      "qr_mpi_tune");
  TuneOptions options;
  declare(app, options);
  std::vector<std::string> codecs;
  CheckOptions sweep;
  try {
    app.parse(argc, argv);
    codecs = known_codecs(options.codecs, options.auto_codec);
    sweep.types = known_types(options.types);
    sweep.sizes = sizes_of(options);
    if (options.output.empty() && options.no_sweep)
      throw CLI::ValidationError("-o FILE is missing: nothing to do");
    if (options.check && options.no_sweep) throw CLI::ValidationError("--check needs the sweep");
  } catch (const CLI::ParseError& error) {
    return complain(app, error, first);
  }
  sweep.auto_codec = options.auto_codec;
  sweep.seconds = options.seconds;

  const double begin = now_seconds();
  const std::string scratch =
      options.output.empty() ? "/tmp/qr_mpi_tune." + std::to_string(getpid()) : options.output;
  TuneBench bench(std::max(kLongCall, sweep.sizes.back()), scratch);
  const std::string head = head_of(bench, argc, argv);
  if (first) fmt::print("{}", head);
  Tuning table;
  if (options.output.empty()) {
    const OwnedComm plain(MPI_COMM_WORLD);
    for (const auto& [key, value] : get_settings(plain.get())) {
      if (key == "tuning") sweep.tuning = value;
    }
    table = table_in_force(sweep.tuning, bench.device(), first);
  } else {
    table = measure_tuning(bench, codecs, options.seconds);
    write_by_first(options.output, head + format_tuning(table), bench.comm());
    sweep.tuning = options.output;
    if (first) fmt::print("# written to {} after {:.1f} s\n", options.output, now_seconds() - begin);
  }
  if (options.no_sweep) return 0;
  const int over = check_plans(bench, sweep, table);
  if (first) {
    fmt::print("# {} size(s) where codec=auto is more than {} times as slow as the best; {:.1f} s in all\n",
               over, kLargestRatio, now_seconds() - begin);
  }
  return options.check && over > 0 ? 1 : 0;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::tune); }
