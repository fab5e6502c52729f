// One row a size: candidates by forced forms, auto by the table under test, all in turn.
#include "tune_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/packet_ops.hpp"
#include "text.hpp"

namespace qr::bench {
namespace {

constexpr int kTries = 3;
constexpr double kLongerAgain = 3;

struct Candidate {
  Way way;
  double us = 0;  // 0: there is no such call
};

struct CheckRow {
  Element element = Element::kFloat;
  std::int64_t count = 0;
  Way plan;  // of auto
  double predicted_us = 0, auto_us = 0;
  std::vector<Candidate> candidates;  // the same ways in all rows
  std::size_t best = 0;
  int tries = 0;

  [[nodiscard]] double ratio() const { return auto_us / candidates[best].us; }
  [[nodiscard]] bool over() const { return ratio() > kLargestRatio && !(candidates[best].way == plan); }
};

std::vector<Way> all_ways(const std::string& auto_codec) {
  std::vector<Way> ways;
  for (const Form form : {Form::kFlagged, Form::kExchange, Form::kTwoShot}) {
    for (const std::string& codec : {std::string("raw"), auto_codec}) ways.push_back({form, codec});
  }
  return ways;
}

Form form_of(const std::string& name) {
  for (const Form form : {Form::kFlagged, Form::kExchange}) {
    if (name_of(form) == name) return form;
  }
  return Form::kTwoShot;
}

/// Fills the times in, of the try with the least ratio.
void time_row(const TuneBench& bench, const std::vector<Contestant>& contestants, double seconds,
              CheckRow& row) {
  for (row.tries = 1;; ++row.tries) {
    TimingOptions timing;
    timing.seconds = row.tries == 1 ? seconds : kLongerAgain * seconds;
    const std::vector<Timing> times = time_in_turn(contestants, timing, bench.comm());
    CheckRow now = row;
    now.auto_us = times.front().median_us;
    std::size_t next = 1;
    for (Candidate& candidate : now.candidates) {
      if (candidate.us > 0) candidate.us = times[next++].median_us;
    }
    const auto dearer = [](const Candidate& a, const Candidate& b) {
      return (a.us > 0 ? a.us : 1e30) < (b.us > 0 ? b.us : 1e30);
    };
    now.best = static_cast<std::size_t>(
        std::min_element(now.candidates.begin(), now.candidates.end(), dearer) - now.candidates.begin());
    if (row.tries == 1 || !now.over() || now.ratio() < row.ratio()) row = now;
    if (!row.over() || row.tries == kTries) return;
  }
}

CheckRow check_row(TuneBench& bench, MPI_Comm automatic, const CheckOptions& options, Element element,
                   std::int64_t bytes) {
  CheckRow row;
  row.element = element;
  row.count = std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(bytes_of(element)));
  const Prediction prediction = prediction_of(automatic, row.count, mpi_type_of(element), MPI_SUM);
  row.plan = {form_of(prediction.form),
              plan_of(automatic, row.count, mpi_type_of(element), MPI_SUM, true).codec};
  row.predicted_us = prediction.us;
  std::vector<Contestant> contestants{bench.contestant(automatic, element, row.count)};
  for (const Way& way : all_ways(options.auto_codec)) {
    Contestant who = bench.contestant(way, element, row.count);
    row.candidates.push_back({way, who.call ? 1.0 : 0.0});
    if (who.call) contestants.push_back(std::move(who));
  }
  time_row(bench, contestants, options.seconds, row);
  return row;
}

void print_head(const CheckOptions& options, const std::string& table) {
  fmt::print(
      "# plans by tuning table {}; predicted/measured us in graphs of 20 calls, medians of the slowest "
      "rank\n",
      table);
  fmt::print("# {:>9} {:<8} {:<15} {:>13}", "bytes", "type", "auto takes", "auto");
  for (const Way& way : all_ways(options.auto_codec))
    fmt::print(" {:>13}", fmt::format("{} {}", name_of(way.form), way.codec));
  fmt::print("  ratio to the best\n");
}

void print_row(const CheckRow& row, const Tuning& table, int ranks) {
  const auto cell = [](double predicted, double measured) {
    return measured > 0 ? fmt::format("{:.4g}/{:.4g}", predicted, measured) : std::string("-");
  };
  fmt::print("  {:>9} {:<8} {:<15} {:>13}",
             text_from_bytes(row.count * static_cast<std::int64_t>(bytes_of(row.element))),
             name_of(row.element), fmt::format("{} {}", name_of(row.plan.form), row.plan.codec),
             cell(row.predicted_us, row.auto_us));
  for (const Candidate& candidate : row.candidates) {
    const double us = predict_us(candidate.way.form, find_codec(candidate.way.codec.c_str()),
                                 data_type_of(row.element), ranks, row.count, table);
    fmt::print(" {:>13}", cell(us, candidate.us));
  }
  const Way& best = row.candidates[row.best].way;
  fmt::print("  {:.3f} {}{}{}\n", row.ratio(), row.over() ? "OVER " : "ok ",
             best == row.plan ? std::string("(the same call)")
                              : fmt::format("({} {})", name_of(best.form), best.codec),
             row.tries > 1 ? fmt::format(", {} tries", row.tries) : std::string());
  std::fflush(stdout);
}

}  // namespace

int check_plans(TuneBench& bench, const CheckOptions& options, const Tuning& table) {
  const OwnedComm automatic(MPI_COMM_WORLD);
  set_settings(automatic.get(), {{"tuning", options.tuning},
                                 {"codec", "auto"},
                                 {"auto_codec", options.auto_codec},
                                 {"algorithm", "auto"},
                                 {"min_bytes", "0"}});
  int over = 0;
  if (bench.first())
    print_head(options, prediction_of(automatic.get(), 1024, MPI_FLOAT, MPI_SUM).table);
  else
    (void)prediction_of(automatic.get(), 1024, MPI_FLOAT, MPI_SUM);  // collective the first time
  for (const Element element : options.types) {
    bench.load(element);
    for (const std::int64_t bytes : options.sizes) {
      const CheckRow row = check_row(bench, automatic.get(), options, element, bytes);
      if (row.over()) ++over;
      if (bench.first()) print_row(row, table, bench.ranks());
    }
  }
  return over;
}

}  // namespace qr::bench
