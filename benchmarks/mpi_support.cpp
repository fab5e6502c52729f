// Checked MPI calls, owned communicators, settings as pairs of strings.
#include "mpi_support.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>

namespace qr::bench {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  std::string sentence =
      fmt::format("{}: {}", what, std::string_view(text.data(), static_cast<std::size_t>(length)));
  if (std::string_view(what).starts_with("qr_mpi")) sentence += fmt::format(" ({})", qr_mpi_last_error());
  throw std::runtime_error(sentence);
}

std::string first_complaint(const std::string& mine, MPI_Comm comm) {
  int first = mine.empty() ? size_of(comm) : rank_of(comm);
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == size_of(comm)) return "";
  std::array<char, 1024> text{};
  mine.copy(text.data(), text.size() - 1);
  check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, comm), "MPI_Bcast");
  return fmt::format("rank {}: {}", first, text.data());
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

double max_over_ranks(double value, MPI_Comm comm) {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return value;
}

OwnedComm::OwnedComm(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

OwnedComm::OwnedComm(MPI_Comm parent, int ranks) {
  const int rank = rank_of(parent);
  check(MPI_Comm_split(parent, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm_), "MPI_Comm_split");
  if (!null()) check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

OwnedComm::~OwnedComm() {
  if (null()) return;
  if (MPI_Comm_free(&comm_) != MPI_SUCCESS) std::fputs("MPI_Comm_free failed\n", stderr);
}

namespace {

/// An info object that is freed whatever happens.
struct OwnedInfo {
  OwnedInfo() = default;
  ~OwnedInfo() {
    if (info != MPI_INFO_NULL && MPI_Info_free(&info) != MPI_SUCCESS)
      std::fputs("MPI_Info_free failed\n", stderr);
  }
  OwnedInfo(const OwnedInfo&) = delete;
  OwnedInfo& operator=(const OwnedInfo&) = delete;
  MPI_Info info = MPI_INFO_NULL;
};

}  // namespace

void set_settings(MPI_Comm comm, const Settings& settings) {
  OwnedInfo owned;
  check(MPI_Info_create(&owned.info), "MPI_Info_create");
  for (const auto& [key, value] : settings) {
    check(MPI_Info_set(owned.info, key.c_str(), value.c_str()), "MPI_Info_set");
  }
  check(qr_mpi_comm_set_info(comm, owned.info), "qr_mpi_comm_set_info");
}

Settings get_settings(MPI_Comm comm) {
  OwnedInfo owned;
  check(qr_mpi_comm_get_info(comm, &owned.info), "qr_mpi_comm_get_info");
  int keys = 0;
  check(MPI_Info_get_nkeys(owned.info, &keys), "MPI_Info_get_nkeys");
  Settings settings;
  for (int index = 0; index < keys; ++index) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    std::array<char, MPI_MAX_INFO_VAL + 1> value{};
    int found = 0;
    check(MPI_Info_get_nthkey(owned.info, index, key.data()), "MPI_Info_get_nthkey");
    check(MPI_Info_get(owned.info, key.data(), MPI_MAX_INFO_VAL, value.data(), &found), "MPI_Info_get");
    settings.emplace_back(key.data(), found != 0 ? value.data() : "");
  }
  return settings;
}

PlanText plan_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op, bool on_device) {
  const char *algorithm = "", *codec = "", *reason = "";
  const auto plan = on_device ? qr_mpi_comm_plan_on_device : qr_mpi_comm_plan;
  check(plan(comm, count, datatype, op, &algorithm, &codec, &reason), "qr_mpi_comm_plan");
  return {algorithm, codec, reason};
}

Prediction prediction_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  const char *form = "", *table = "";
  double us = 0;
  check(qr_mpi_comm_prediction_on_device(comm, count, datatype, op, &form, &us, &table),
        "qr_mpi_comm_prediction_on_device");
  return {form, table, us};
}

double codec_error_of(const std::string& codec) {
  for (int index = 0; index < qr_mpi_codec_count(); ++index) {
    if (codec == qr_mpi_codec_name(index)) return qr_mpi_codec_error(index);
  }
  throw std::runtime_error(fmt::format("the library names no codec '{}'", codec));
}

std::vector<std::string> codec_names() {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(qr_mpi_codec_count()));
  for (int index = 0; index < qr_mpi_codec_count(); ++index) names.emplace_back(qr_mpi_codec_name(index));
  return names;
}

int run_program(int argc, char** argv, int (*body)(int argc, char** argv)) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    std::fputs("MPI_Init failed\n", stderr);
    return 1;
  }
  int result = 1;
  try {
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    result = body(argc, argv);
  } catch (const CommonError& error) {
    if (rank_of(MPI_COMM_WORLD) == 0) fmt::print(stderr, "{}\n", error.what());
  } catch (const std::exception& error) {
    int rank = -1;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) rank = -1;
    fmt::print(stderr, "rank {}: {}\n", rank, error.what());
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return MPI_Finalize() == MPI_SUCCESS ? result : 1;
}

}  // namespace qr::bench
