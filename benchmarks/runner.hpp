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
};

/// Every case that the options ask for, in the order of the table.
std::vector<Case> cases_of(const BenchOptions& options);

/// Owns the buffers and two communicators: one for the library, one for MPI, so that neither finds the
/// other's state.
class Runner {
 public:
  explicit Runner(const BenchOptions& options);

  /// Collective. Nothing if the library would not use the codec asked for, since the row would repeat another
  /// one.
  std::optional<Row> run(const Case& what);

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
