// Measures one row of the table: settings, timing in turn with MPI, check of the result.
#pragma once

#include <memory>
#include <optional>

#include "mpi_support.hpp"
#include "options.hpp"
#include "report.hpp"

namespace qr::bench {

/// What to measure.
struct Case {
  std::int64_t bytes = 0;
  Element element = Element::kFloat;
  Operation operation = Operation::kSum;
  std::string codec, algorithm;
  Mode mode = Mode::kBlocking;
};

/// Every case that the options ask for, in the order of the table.
std::vector<Case> cases_of(const BenchOptions& options);

/// A row of which all but figures is known: `ours` has been told codec and algorithm, and the plan is the
/// library's. Nothing if the library would not use the codec asked for, since the row would repeat another
/// one. Collective.
std::optional<Row> plan_row(const Case& what, MPI_Comm ours, bool on_device = false);

/// Measures rows.
class RowRunner {
 public:
  RowRunner() = default;
  virtual ~RowRunner() = default;
  RowRunner(const RowRunner&) = delete;
  RowRunner& operator=(const RowRunner&) = delete;

  /// Collective. Nothing if there is nothing to measure.
  virtual std::optional<Row> run(const Case& what) = 0;
};

/// On host memory. Owns the buffers and two communicators: one for the library, one for MPI, so that neither
/// finds the other's state.
class Runner final : public RowRunner {
 public:
  explicit Runner(const BenchOptions& options);

  std::optional<Row> run(const Case& what) override;

 private:
  void load(Element element);
  Contestant contestant(std::function<void(const void* send)> call, std::size_t bytes);

  const BenchOptions& options_;
  OwnedComm ours_, rivals_;
  std::size_t buffer_bytes_;
  std::unique_ptr<unsigned char[]> inputs_, output_;
  std::optional<Element> loaded_;
};

}  // namespace qr::bench
