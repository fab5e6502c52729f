// Trains a digit classifier once for each codec and seed, and shows what the codec's bits cost in accuracy.
#include <fmt/core.h>

#include "common/mpi_program.hpp"
#include "common/progress.hpp"
#include "dataset.hpp"
#include "gpu/device.hpp"
#include "table.hpp"
#include "training.hpp"

namespace {

struct Options {
  std::string data = examples::default_digits_path();
  std::vector<std::string> codecs = examples::names_of(examples::all_codecs());
  int seeds = 5;
  int test_images = 500;
  bool host = false;
  examples::TrainingOptions training;
};

void add_options(CLI::App& app, Options& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "table of digits, gzipped or not");
  app.add_option("--codecs", options.codecs, "codecs to compare, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(examples::names_of(examples::all_codecs())));
  app.add_option("--seeds", options.seeds, "training runs for each codec")->check(CLI::Range(1, 1000));
  app.add_option("--epochs", options.training.epochs, "passes over the data")->check(CLI::Range(1, 10000));
  app.add_option("--hidden", options.training.hidden, "units of the hidden layer")
      ->check(CLI::Range(1, 65536));
  app.add_option("--batch", options.training.batch, "images of a step, of all ranks together")
      ->check(CLI::Range(1, 100000));
  app.add_option("--learning-rate", options.training.learning_rate, "of SGD with momentum 0.9");
  app.add_flag("--host", options.host, "compute in host memory, even if there is a GPU");
}

examples::DigitsRow run_codec(const examples::Codec& codec, const examples::Dataset& dataset,
                              const Options& options, examples::Progress& progress) {
  const examples::CodecComm comm(MPI_COMM_WORLD, codec.name);
  examples::DigitsRow row;
  row.codec = codec.name;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const auto result =
        examples::train(dataset, options.training, static_cast<std::uint64_t>(seed), comm.get());
    const auto traffic = examples::traffic_of_sum(comm.get(), result.parameters, options.training.on_device);
    row.traffic = traffic;
    row.megabytes_sent = traffic.bytes_per_rank * result.steps / 1e6;
    row.test_accuracies.push_back(result.test_accuracy);
    row.noise_to_signal += result.noise_to_signal / options.seeds;
    row.same_on_all_ranks = row.same_on_all_ranks && result.same_on_all_ranks;
    progress.report(fmt::format("{}: seed {} of {}", codec.name, seed, options.seeds));
  }
  return row;
}

int run(const examples::MpiProgram& program, int argc, char** argv) {
  CLI::App app("Data-parallel training on handwritten digits, with each codec for the sum of the gradients");
  Options options;
  add_options(app, options);
  if (const auto code = program.parse(app, argc, argv)) return *code;

  const auto digits = examples::load_digits(options.data, MPI_COMM_WORLD);
  if (!digits) return 1;
  if (digits->size() <= options.test_images) {
    if (program.rank() == 0) fmt::print(stderr, "{}: too few images to hold out any\n", options.data);
    return 1;
  }
  const auto device = options.host ? std::nullopt : examples::use_device(MPI_COMM_WORLD);
  options.training.on_device = device.has_value();
  const examples::Dataset dataset = examples::hold_out(*digits, options.test_images);

  examples::Progress progress(program.rank() == 0);
  std::vector<examples::DigitsRow> rows;
  for (const examples::Codec& codec : examples::codecs_named(options.codecs)) {
    rows.push_back(run_codec(codec, dataset, options, progress));
  }
  if (program.rank() == 0) {
    fmt::print("ranks {}, training images {}, held out {}, seeds {}, epochs {}, hidden units {}\n",
               program.ranks(), dataset.train.size(), dataset.test.size(), options.seeds,
               options.training.epochs, options.training.hidden);
    fmt::print("gradients in {}\n\n", device ? "device memory, on " + *device : "host memory");
    examples::print_digits_table(rows);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return examples::run_mpi_program(argc, argv, run); }
