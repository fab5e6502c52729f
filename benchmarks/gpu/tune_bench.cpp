// Forces a form by a table in which all others are dear, and asks the library whether that worked.
#include "tune_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "inputs.hpp"

namespace qr::bench {
namespace {

constexpr int kCalls = 20;       // in a graph
constexpr double kDearUs = 1e5;  // no call of this program takes so long

/// Rank 0's file, gone with the object on that rank.
class ScratchFile {
 public:
  ScratchFile(std::string path, const std::string& text, MPI_Comm comm)
      : path_(std::move(path)), comm_(comm) {
    write_by_first(path_, text, comm_);
  }
  ~ScratchFile() {
    if (rank_of(comm_) == 0) std::remove(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  MPI_Comm comm_;
};

/// Collective. `ours` plans by this table from now on.
void use_table(MPI_Comm ours, const Tuning& table, const std::string& scratch, MPI_Comm comm) {
  const ScratchFile file(scratch, format_tuning(table), comm);
  set_settings(ours, {{"tuning", file.path()}});
}

}  // namespace

std::string_view name_of(Form form) {
  switch (form) {
    case Form::kFlagged:
      return "flagged";
    case Form::kExchange:
      return "exchange";
    case Form::kTwoShot:
      return "two_shot";
  }
  return "?";
}

DataType data_type_of(Element element) {
  switch (element) {
    case Element::kFloat:
      return DataType::kFloat32;
    case Element::kDouble:
      return DataType::kFloat64;
    case Element::kFloat16:
      return DataType::kFloat16;
    case Element::kBFloat16:
      return DataType::kBFloat16;
  }
  throw std::logic_error("element type out of range");
}

TuneBench::TuneBench(std::int64_t most_bytes, const std::string& scratch)
    : plain_(MPI_COMM_WORLD),
      flagged_(MPI_COMM_WORLD),
      signalled_(MPI_COMM_WORLD),
      device_(choose_device(MPI_COMM_WORLD)),
      bytes_(static_cast<std::size_t>(most_bytes)),
      send_(allocate_device(bytes_)),
      recv_(allocate_device(bytes_)) {
  if (ranks() < 2) throw CommonError("a single rank has nothing to tune: mpirun -np 2 or more, one a device");
  Tuning table = built_in_tuning("");
  table.exchange = table.two_shot = {kDearUs, kDearUs, 0};
  use_table(flagged_.get(), table, scratch + ".flagged", comm());
  table.exchange = table.two_shot = {1, 1, 0};
  table.flagged_blocks = 0;
  use_table(signalled_.get(), table, scratch + ".signalled", comm());
  const Prediction prediction = prediction_of(signalled_.get(), 1024, MPI_FLOAT, MPI_SUM);
  if (prediction.form.empty()) {
    const PlanText plan = plan_of(signalled_.get(), 1024, MPI_FLOAT, MPI_SUM, true);
    throw CommonError(
        fmt::format("device memory goes through host memory here, so there is nothing to tune: the library's "
                    "warning above "
                    "says why (with QR_MPI_LOG=1 or more); calls would take {}: {}",
                    plan.algorithm, plan.reason));
  }
}

void TuneBench::load(Element element) {
  const std::size_t count = bytes_ / bytes_of(element);
  std::vector<unsigned char> host(count * bytes_of(element));
  fill_inputs(host.data(), static_cast<std::int64_t>(count), element, rank_of(comm()));
  hip_check(hipMemcpy(send_.get(), host.data(), host.size(), hipMemcpyHostToDevice), "fill a buffer");
  hip_check(hipDeviceSynchronize(), "fill a buffer");
}

Contestant TuneBench::contestant(const Way& way, Element element, std::int64_t count) {
  MPI_Comm ours = way.form == Form::kFlagged ? flagged_.get() : signalled_.get();
  set_settings(ours,
               {{"codec", way.codec}, {"algorithm", way.form == Form::kTwoShot ? "two_shot" : "exchange"}});
  const Prediction prediction = prediction_of(ours, count, mpi_type_of(element), MPI_SUM);
  const PlanText plan = plan_of(ours, count, mpi_type_of(element), MPI_SUM, true);
  if (plan.codec != way.codec)
    throw CommonError(fmt::format("codec {} was asked for, {} is planned", way.codec, plan.codec));
  if (prediction.form != name_of(way.form)) {
    if (way.form == Form::kFlagged) return {};
    throw CommonError(
        fmt::format("the form {} was asked for, {} is planned", name_of(way.form), prediction.form));
  }
  return contestant(ours, element, count);
}

Contestant TuneBench::contestant(MPI_Comm ours, Element element, std::int64_t count) const {
  if (static_cast<std::size_t>(count) * bytes_of(element) > bytes_)
    throw std::logic_error("buffers are shorter");
  Contestant who;
  who.batch = kCalls;
  who.call = [this, ours, element, count] {
    check(qr_mpi_allreduce_on_stream(send_.get(), recv_.get(), count, mpi_type_of(element), MPI_SUM, ours,
                                     timer_.stream()),
          "qr_mpi_allreduce_on_stream");
  };
  return graph_contestant(timer_, who);
}

double TuneBench::time(const Contestant& who, double seconds) const {
  if (!who.call) return 0;
  TimingOptions options;
  options.seconds = seconds;
  return time_in_turn({who}, options, comm()).front().median_us;
}

void write_by_first(const std::string& path, const std::string& text, MPI_Comm comm) {
  std::string complaint;
  if (rank_of(comm) == 0) {
    const std::string next = fmt::format("{}.{}.tmp", path, getpid());
    errno = 0;
    std::ofstream file(next);
    file << text;
    file.close();
    if (!file || std::rename(next.c_str(), path.c_str()) != 0) {
      complaint = fmt::format("cannot write {}: {}", path, std::strerror(errno));
      std::remove(next.c_str());
    }
  }
  complaint = first_complaint(complaint, comm);
  if (!complaint.empty()) throw CommonError(complaint);
}

}  // namespace qr::bench
