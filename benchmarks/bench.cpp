// qr_mpi_bench: all-reduce in the manner of the OSU micro-benchmarks and nccl-tests. Run it under mpirun.
#include <fmt/format.h>

#include "mpi_support.hpp"
#include "options.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "stream.hpp"
#include "text.hpp"

#if defined(QR_BENCH_DEVICE)
#include "gpu/device_runner.hpp"
#endif

namespace qr::bench {
namespace {

/// A line on stderr every few seconds, for runs that redirect the table to a file.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}

  void show(std::size_t done, const Case& next) {
    if (now_seconds() - last_ < 10) return;
    last_ = now_seconds();
    fmt::print(stderr, "qr_mpi_bench: row {} of {}: {} {} {} {}\n", done + 1, total_, name_of(next.element),
               next.codec, name_of(next.mode), text_from_bytes(next.bytes));
  }

 private:
  std::size_t total_;
  double last_ = now_seconds();
};

nlohmann::json json_head(const Header& header, const BenchOptions& options) {
  nlohmann::json head{{"program", "qr_mpi_bench"},
                      {"qr_mpi", qr_mpi_version()},
                      {"command_line", header.command_line},
                      {"machine", json_of(header.machine)},
                      {"layout", json_of(header.layout)},
                      {"oversubscribed", oversubscribed(header.machine, header.layout)},
                      {"memory", header.device ? "device" : "host"},
                      {"in_place", options.in_place},
                      {"user_op", options.user_op == UserOp::kPlain ? "plain" : "tuned"}};
  if (header.stream) {
    head["stream"] = {{"gb_per_s", header.stream->gb_per_s}, {"array_bytes", header.stream->array_bytes}};
  }
  if (header.device) head["device"] = json_of(*header.device);
  return head;
}

/// The runner for the memory asked for; on device memory also what it found there. Throws CommonError.
std::unique_ptr<RowRunner> make_runner(const BenchOptions& options, std::optional<DeviceFacts>& device) {
  if (options.memory == Place::kHost) return std::make_unique<Runner>(options);
#if defined(QR_BENCH_DEVICE)
  auto runner = std::make_unique<DeviceRunner>(options);
  device = runner->facts();
  return runner;
#else
  static_cast<void>(device);
  throw CommonError("--memory device: this build has no GPU back end; configure with -DQR_GPU=nvidia or amd");
#endif
}

int bench(int argc, char** argv) {
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  BenchOptions options;
  if (const auto code = parse_options(argc, argv, first, options)) return *code;

  Header header{read_machine(), read_layout(MPI_COMM_WORLD), command_line_of(argc, argv), {}, {}};
  if (options.stream) header.stream = measure_stream(header.machine, header.layout, MPI_COMM_WORLD);
  const std::unique_ptr<RowRunner> runner = make_runner(options, header.device);
  const std::vector<Case> cases = cases_of(options);
  if (first) print_header(header, options);

  // Once for nothing: the first third of a second of a process is slower by a few per cent at the smallest
  // sizes.
  runner->run(cases.front());
  Progress progress(cases.size());
  std::vector<Row> rows;
  bool passed = true;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    if (first) progress.show(index, cases[index]);
    auto row = runner->run(cases[index]);
    if (!row) continue;
    if (header.stream) {
      row->stream_share =
          stream_share(*header.stream, header.layout.ranks, row->bytes(), row->ours.median_us);
    }
    if (first) header.device ? print_device_row(*row) : print_row(*row);
    passed = passed && row->passed();
    rows.push_back(*std::move(row));
  }
  passed = passed && !rows.empty();  // a table without rows proves nothing
  if (!first) return passed ? 0 : 1;
  print_summary(rows, static_cast<int>(cases.size() - rows.size()));
  if (!options.json_file.empty()) {
    std::vector<nlohmann::json> lines;
    lines.reserve(rows.size());
    for (const Row& row : rows) lines.push_back(json_of(row));
    write_json(options.json_file, json_head(header, options), lines);
  }
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace qr::bench

int main(int argc, char** argv) { return qr::bench::run_program(argc, argv, qr::bench::bench); }
