// What every program here needs of MPI: checked calls, owned communicators, and one road for errors.
#pragma once

#include <qr_mpi/qr_mpi.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace qr::bench {

/// Throws std::runtime_error with MPI's and the library's sentences unless `code` is MPI_SUCCESS.
void check(int code, const char* what);

/// An error that all ranks throw together, with one text: run_program lets the first rank say it and ends all
/// of them in order.
struct CommonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Collective. What is wrong on the first rank where something is, as "rank 1: ..."; empty if all is well on
/// all
/// (`mine` is empty).
std::string first_complaint(const std::string& mine, MPI_Comm comm);

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// The greatest value over all ranks: how ranks agree on counts that come from clocks.
double max_over_ranks(double value, MPI_Comm comm);

/// Duplicate of a communicator, freed with the object. Errors come back as codes.
class OwnedComm {
 public:
  explicit OwnedComm(MPI_Comm parent);
  /// The first `ranks` ranks of `parent`; null() on the others.
  OwnedComm(MPI_Comm parent, int ranks);
  ~OwnedComm();
  OwnedComm(const OwnedComm&) = delete;
  OwnedComm& operator=(const OwnedComm&) = delete;

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] bool null() const { return comm_ == MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Collective: qr_mpi_comm_set_info with these keys.
void set_settings(MPI_Comm comm, const Settings& settings);
/// qr_mpi_comm_get_info as pairs, in the library's order.
Settings get_settings(MPI_Comm comm);

/// What a call would do on a communicator (qr_mpi_comm_plan, qr_mpi_comm_plan_on_device).
struct PlanText {
  std::string algorithm, codec, reason;
  bool operator==(const PlanText&) const = default;
};
PlanText plan_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op, bool on_device = false);

/// What the library predicts for a call on device memory (qr_mpi_comm_prediction_on_device).
struct Prediction {
  std::string form, table;  // "" where it predicts nothing
  double us = 0;
};
Prediction prediction_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/// Bound of one quantization with the codec of that name; 0 for raw.
double codec_error_of(const std::string& codec);
std::vector<std::string> codec_names();

/// MPI_Init, body, MPI_Finalize. An exception is printed with its rank and ends all ranks by MPI_Abort.
int run_program(int argc, char** argv, int (*body)(int argc, char** argv));

}  // namespace qr::bench
