// Two tensor-parallel MLP layers: what the codec of their all-reduces saves in time and costs in accuracy.
#include <fmt/core.h>
#include <qr_mpi/qr_mpi.h>

#include <algorithm>
#include <string_view>

#include "common/codec_comm.hpp"
#include "common/mpi_check.hpp"
#include "common/mpi_program.hpp"
#include "common/progress.hpp"
#include "gpu/device.hpp"
#include "table.hpp"

namespace {

constexpr int kJudgedTokens =
    8;  // tokens do not depend on each other, and exact ones cost the host much time

struct Options {
  std::vector<std::string> codecs = examples::names_of(examples::all_codecs());
  bool host = false;
  int passes = 0;
  double largest_error = 0;
  examples::Shape shape;
};

void add_options(CLI::App& app, Options& options) {
  const auto size = [&app](const char* name, int& value, const char* text) {
    app.add_option(name, value, text)->check(CLI::Range(1, 1 << 20));
  };
  app.add_option("--codecs", options.codecs, "codecs to compare, separated by commas (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(examples::names_of(examples::all_codecs())));
  size("--layers", options.shape.layers, "MLP layers (default 2)");
  size("--tokens", options.shape.tokens, "tokens of the batch (default 64 on a device, 16 on the host)");
  size("--width", options.shape.width, "values of a token (default 4096 on a device, 512 on the host)");
  size("--hidden", options.shape.hidden, "values of a token inside a layer (default 2 x width)");
  size("--passes", options.passes, "timed passes (default 200 on a device, 10 on the host)");
  app.add_option("--largest-error", options.largest_error,
                 "of an output, relative RMS; exit code 1 above it (default: what each codec explains)");
  app.add_flag("--host", options.host, "compute in host memory, even if there is a GPU");
}

void choose_sizes(Options& options, bool on_device) {
  const auto choose = [](int& value, int otherwise) { value = value > 0 ? value : otherwise; };
  choose(options.shape.tokens, on_device ? 64 : 16);
  choose(options.shape.width, on_device ? 4096 : 512);
  choose(options.shape.hidden, 2 * options.shape.width);
  choose(options.passes, on_device ? 200 : 10);
}

double largest_over_ranks(double value) {
  examples::check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  return value;
}

examples::LayersRow run_codec(const std::string& name, examples::Forward& forward,
                              const std::vector<double>& exact, const Options& options, bool on_device) {
  const examples::CodecComm comm(MPI_COMM_WORLD, name);
  const examples::Passes passes = forward.run(comm.get(), options.passes);
  const char* algorithm = "";
  const char* codec = "";
  const auto count = static_cast<MPI_Count>(options.shape.activations());
  const auto plan = on_device ? qr_mpi_comm_plan_on_device : qr_mpi_comm_plan;
  examples::check(plan(comm.get(), count, qr_mpi_type_bfloat16(), MPI_SUM, &algorithm, &codec, nullptr));
  examples::LayersRow row;
  row.codec = name;
  row.algorithm = algorithm;
  double codec_error = 0;
  for (int index = 0; index < qr_mpi_codec_count(); ++index) {
    if (std::string_view(qr_mpi_codec_name(index)) != codec) continue;
    row.bits_per_value = qr_mpi_codec_bits_per_value(index);
    codec_error = qr_mpi_codec_error(index);
  }
  row.pass_us = largest_over_ranks(passes.pass_us);
  row.sums_us = largest_over_ranks(passes.sums_us);
  row.judgement = examples::judge(passes, exact, codec_error, options.largest_error, comm.get());
  return row;
}

int run(const examples::MpiProgram& program, int argc, char** argv) {
  CLI::App app(
      "Tensor-parallel transformer MLP layers in bf16, with each codec for the sum of the partial results");
  Options options;
  add_options(app, options);
  if (const auto code = program.parse(app, argc, argv)) return *code;

  const auto device = options.host ? std::nullopt : examples::use_device(MPI_COMM_WORLD);
  choose_sizes(options, device.has_value());
  const examples::Shape& shape = options.shape;
  if (program.rank() == 0) {
    fmt::print(
        "ranks {}, layers {}, tokens {}, width {}, hidden {}; all-reduces of {} KiB\nbuffers in {}\n\n",
        program.ranks(), shape.layers, shape.tokens, shape.width, shape.hidden,
        shape.activations() * sizeof(examples::Bf16) / 1024,
        device ? "device memory, on " + *device : "host memory");
  }
  const examples::NetworkShare share = examples::make_share(shape, program.rank(), program.ranks());
  const std::vector<double> exact =
      examples::exact_output(share, std::min(shape.tokens, kJudgedTokens), MPI_COMM_WORLD);
  const auto forward = device ? examples::make_device_forward(share) : examples::make_host_forward(share);

  examples::Progress progress(program.rank() == 0);
  std::vector<examples::LayersRow> rows;
  for (const std::string& codec : options.codecs) {
    rows.push_back(run_codec(codec, *forward, exact, options, device.has_value()));
    progress.report(codec);
  }
  if (program.rank() == 0) examples::print_layers_table(rows, device.has_value());
  const bool good = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.judgement.good; });
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return examples::run_mpi_program(argc, argv, run); }
