// The command line of qr_mpi_bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elements.hpp"
#include "mode.hpp"
#include "operations.hpp"
#include "rival.hpp"
#include "timing.hpp"

namespace qr::bench {

struct BenchOptions {
  std::int64_t min_bytes = 8;
  std::int64_t max_bytes = std::int64_t{64} << 20;
  double factor = 4;
  std::vector<Element> types{Element::kFloat};
  std::vector<Operation> operations{Operation::kSum};
  std::vector<std::string> codecs{"raw", "int8", "int4"};
  std::vector<std::string> algorithms{"auto"};
  Place memory = Place::kHost;
  std::vector<Mode> modes{Mode::kBlocking};
  bool in_place = false;
  bool check = true;
  bool rival = true;
  UserOp user_op = UserOp::kTuned;  // of the rival, for 16-bit types
  bool nccl = true;                 // on device memory: measure NCCL or RCCL, if there is one
  bool copies = true;               // on device memory: measure plain copies to the peers
  std::string nccl_library;         // empty: by its usual names
  bool stream = false;
  TimingOptions timing;
  std::string json_file;  // empty: none

  /// min, min * factor, ... up to max.
  [[nodiscard]] std::vector<std::int64_t> sizes() const;
};

/// Reads the command line. A number: the program ends with this exit code (help, or an error, said on `talks`
/// ranks only).
std::optional<int> parse_options(int argc, char** argv, bool talks, BenchOptions& options);

}  // namespace qr::bench
