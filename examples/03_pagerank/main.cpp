// Ranks the packages of this machine by what depends on them, with each codec for the sum of every iteration.
#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "common/mpi_check.hpp"
#include "common/mpi_program.hpp"
#include "common/progress.hpp"
#include "package_graph.hpp"
#include "table.hpp"

namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> codecs = examples::names_of(examples::all_codecs());
  examples::StopRule rule;
};

void add_options(CLI::App& app, Options& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--file", options.files, "package lists to read; without it those of this machine");
  app.add_option("--codecs", options.codecs, "codecs to compare, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(examples::names_of(examples::all_codecs())));
  app.add_option("--tolerance", options.rule.tolerance,
                 "stop when an iteration changes the ranks by less, in sum");
  app.add_option("--iterations", options.rule.iteration_limit, "and after so many in any case")
      ->check(CLI::Range(1, 100000));
}

/// On rank 0: the graph of the files, or of this machine. Empty, with a line on stderr, if there is none.
examples::PackageGraph read_graph(std::vector<std::string> files) {
  try {
    if (files.empty()) files = examples::package_files_of_this_machine();
    if (files.empty())
      throw std::runtime_error("no package lists on this machine; name a Debian Packages file with --file");
    std::vector<examples::Package> packages;
    for (const std::string& file : files) {
      fmt::print("reading {}\n", file);
      std::vector<examples::Package> more = examples::read_control_file(file);
      std::move(more.begin(), more.end(), std::back_inserter(packages));
    }
    return examples::make_package_graph(packages);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return {};
  }
}

examples::PageRankRow run_codec(const examples::Codec& codec, bool of_changes,
                                const examples::GraphShare& graph, const std::vector<double>& exact,
                                const examples::StopRule& rule) {
  const examples::Codec raw = examples::all_codecs().front();
  const examples::CodecComm raw_comm(MPI_COMM_WORLD, raw.name);
  const examples::CodecComm comm(MPI_COMM_WORLD, codec.name);
  const auto sum =
      of_changes ? examples::sum_of_changes(comm.get(), raw_comm.get()) : examples::codec_sum(comm.get());
  const examples::PageRankResult result = examples::pagerank(graph, sum, rule);
  const auto after = examples::next_rank(graph, examples::exact_sum(MPI_COMM_WORLD), result.rank);

  const examples::Traffic traffic = examples::traffic_of_sum(comm.get(), graph.nodes);
  const int refreshes =
      of_changes ? (result.iterations + examples::kRefreshPeriod - 1) / examples::kRefreshPeriod : 0;
  const double bytes = refreshes * examples::traffic_of_sum(raw_comm.get(), graph.nodes).bytes_per_rank +
                       (result.iterations - refreshes) * traffic.bytes_per_rank;
  return {.codec = codec.name,
          .traffic = traffic,
          .of_changes = of_changes,
          .megabytes_sent = bytes / 1e6,
          .iterations = result.iterations,
          .reason = result.reason,
          .residual = examples::distance(after, result.rank),
          .comparison = examples::compare(exact, result.rank)};
}

int run(const examples::MpiProgram& program, int argc, char** argv) {
  CLI::App app("PageRank of the Debian package graph, with each codec for the sum over the ranks");
  Options options;
  add_options(app, options);
  if (const auto code = program.parse(app, argc, argv)) return *code;

  examples::PackageGraph graph;
  if (program.rank() == 0) graph = read_graph(options.files);
  const examples::GraphShare share = examples::share_graph(graph, MPI_COMM_WORLD);
  if (share.nodes == 0) return 1;

  const examples::StopRule to_the_end{.tolerance = 1e-13, .iteration_limit = 1000};
  const auto exact = examples::pagerank(share, examples::exact_sum(MPI_COMM_WORLD), to_the_end).rank;
  examples::Progress progress(program.rank() == 0);
  std::vector<examples::PageRankRow> rows;
  for (const bool of_changes : {false, true}) {
    for (const examples::Codec& codec : examples::codecs_named(options.codecs)) {
      rows.push_back(run_codec(codec, of_changes, share, exact, options.rule));
      progress.report(fmt::format("{} done", codec.name));
    }
  }
  if (program.rank() == 0) {
    fmt::print("ranks {}, packages {}, dependencies {}\n\n", program.ranks(), share.nodes,
               graph.edges.size());
    examples::print_top_packages(graph.names, share, exact);
    fmt::print("\n");
    examples::print_pagerank_table(rows);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return examples::run_mpi_program(argc, argv, run); }
