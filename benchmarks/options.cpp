// Options of qr_mpi_bench, by CLI11.
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "command_line.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

/// The values among kAll whose names are in `list`; "all" means each of them.
template <class Value, std::size_t kCount>
std::vector<Value> values_from(const std::string& list, const std::array<Value, kCount>& all,
                               std::string_view what) {
  if (list == "all") return {all.begin(), all.end()};
  std::vector<Value> values;
  std::string known;
  for (const Value value : all) known += fmt::format(" {}", name_of(value));
  for (const std::string& name : split_list(list)) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](Value value) { return name_of(value) == name; });
    if (found == all.end())
      throw CLI::ValidationError(fmt::format("no {} '{}'; known: all{}", what, name, known));
    values.push_back(*found);
  }
  if (values.empty()) throw CLI::ValidationError(fmt::format("the list of {}s is empty", what));
  return values;
}

std::vector<std::string> names_from(const std::string& list, std::vector<std::string> all,
                                    const std::vector<std::string>& more, std::string_view what) {
  if (list == "all") return all;
  all.insert(all.end(), more.begin(), more.end());
  std::vector<std::string> names = split_list(list);
  for (const std::string& name : names) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw CLI::ValidationError(fmt::format("no {} '{}'; known: all {}", what, name, join(all, " ")));
    }
  }
  if (names.empty()) throw CLI::ValidationError(fmt::format("the list of {}s is empty", what));
  return names;
}

std::int64_t size_from(const std::string& text) {
  try {
    return bytes_from_text(text);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError(error.what());
  }
}

/// The options as CLI11 reads them, before their texts are understood.
struct Texts {
  std::string min = "8", max = "64MiB", types = "float", operations = "sum", codecs = "raw,int8,int4",
              algorithms = "auto", user_op = "tuned", memory = "host", modes;
  bool no_mpi = false, no_nccl = false, no_copies = false;
};

void declare(CLI::App& app, Texts& texts, BenchOptions& options) {
  app.add_option("-b,--min", texts.min,
                 "smallest message, bytes of the vector (K, M, G and KiB, MiB, GiB are powers of 1024)")
      ->capture_default_str();
  app.add_option("-e,--max", texts.max, "largest message")->capture_default_str();
  app.add_option("-f,--factor", options.factor, "step between sizes")
      ->capture_default_str()
      ->check(CLI::Range(1.01, 1e9));
  app.add_option("-t,--types", texts.types, "float,double,float16,bfloat16 or all")->capture_default_str();
  app.add_option("-o,--ops", texts.operations, "sum,prod,min,max or all")->capture_default_str();
  app.add_option("-c,--codecs", texts.codecs, fmt::format("{},auto or all", join(codec_names(), ",")))
      ->capture_default_str();
  app.add_option("-a,--algorithms", texts.algorithms, "auto,exchange,two_shot,mpi or all (exchange,two_shot)")
      ->capture_default_str();
  app.add_option("-m,--memory", texts.memory, "host or device: where the buffers lie")
      ->capture_default_str()
      ->check(CLI::IsMember({"host", "device"}));
  app.add_option("--mode", texts.modes,
                 "how calls on device memory are issued: blocking,eager,graph or all (default eager,graph)");
  app.add_flag("-i,--in-place", options.in_place,
               "pass MPI_IN_PLACE; inputs are restored before each call, untimed");
  app.add_option("-w,--warmup", options.timing.warmup, "calls before measuring")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("-n,--iterations", options.timing.iterations,
                 "samples a row; 0: as many as fit in --seconds")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_option("--batch", options.timing.batch,
                 "calls in a sample; 0: as many as take 20 us, at most 64; on a stream or in a graph: 20")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_option("--seconds", options.timing.seconds, "measuring time of a row, and as much for MPI")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  app.add_flag("--check,!--no-check", options.check, "compare results with the exact ones (default)");
  app.add_flag("--no-mpi", texts.no_mpi, "do not measure MPI_Allreduce");
  app.add_flag("--no-nccl", texts.no_nccl, "do not measure NCCL or RCCL on device memory");
  app.add_flag("--no-copies", texts.no_copies,
               "do not measure plain copies to the peers' device memory (256 MiB each)");
  app.add_option("--nccl", options.nccl_library, "file of NCCL or RCCL, where the loader does not find it");
  app.add_option("--user-op", texts.user_op,
                 "MPI's op for 16-bit types: tuned (AVX2 and F16C) or plain (portable C++)")
      ->capture_default_str()
      ->check(CLI::IsMember({"tuned", "plain"}));
  app.add_flag("--stream", options.stream,
               "measure a copy on all ranks at once, and each row's share of that rate");
  app.add_option("--json", options.json_file, "write the table and the facts about the machine to this file");
}

void understand_modes(const std::string& modes, BenchOptions& options) {
  if (options.memory == Place::kHost) {
    if (!modes.empty() && modes != "blocking") {
      throw CLI::ValidationError("--mode: calls on host memory are blocking; streams need --memory device");
    }
    return;
  }
  options.modes = values_from(modes.empty() ? "eager,graph" : modes,
                              std::array{Mode::kBlocking, Mode::kEager, Mode::kGraph}, "mode");
  if (options.stream) throw CLI::ValidationError("--stream measures host memory; leave it out");
}

void understand(const Texts& texts, BenchOptions& options) {
  options.rival = !texts.no_mpi;
  options.nccl = !texts.no_nccl;
  options.copies = !texts.no_copies;
  options.memory = texts.memory == "device" ? Place::kDevice : Place::kHost;
  understand_modes(texts.modes, options);
  options.user_op = texts.user_op == "plain" ? UserOp::kPlain : UserOp::kTuned;
  options.min_bytes = size_from(texts.min);
  options.max_bytes = size_from(texts.max);
  if (options.max_bytes < options.min_bytes) throw CLI::ValidationError("--max is less than --min");
  options.types = values_from(
      texts.types, std::array{Element::kFloat, Element::kDouble, Element::kFloat16, Element::kBFloat16},
      "type");
  options.operations =
      values_from(texts.operations,
                  std::array{Operation::kSum, Operation::kProd, Operation::kMin, Operation::kMax}, "op");
  options.codecs = names_from(texts.codecs, codec_names(), {"auto"}, "codec");
  options.algorithms = names_from(texts.algorithms, {"exchange", "two_shot"}, {"auto", "mpi"}, "algorithm");
}

}  // namespace

std::vector<std::int64_t> BenchOptions::sizes() const {
  std::vector<std::int64_t> list;
  for (std::int64_t bytes = std::max<std::int64_t>(min_bytes, 1); bytes <= max_bytes;) {
    list.push_back(bytes);
    bytes = std::max(bytes + 1, static_cast<std::int64_t>(std::llround(static_cast<double>(bytes) * factor)));
  }
  return list;
}

std::optional<int> parse_options(int argc, char** argv, bool talks, BenchOptions& options) {
  CLI::App app("All-reduce of qr_mpi: time, bandwidth, speed-up over MPI_Allreduce, noise, correctness.",
               "qr_mpi_bench");
  app.footer("Example: mpirun -np 8 qr_mpi_bench -b 64K -e 64M -c all --stream");
  Texts texts;
  declare(app, texts, options);
  try {
    app.parse(argc, argv);
    understand(texts, options);
  } catch (const CLI::ParseError& error) {
    return complain(app, error, talks);
  }
  return std::nullopt;
}

}  // namespace qr::bench
