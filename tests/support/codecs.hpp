// The library under test as tests see it: its codecs and algorithms, its settings, its errors.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "floats.hpp"

namespace qr_test {

struct Codec {
  std::string name;
  double error = 0;  // of one quantization, in units of the block's largest magnitude
  [[nodiscard]] bool exact() const { return error == 0; }
};

/// All codecs of the build, asked from the library so that a new one is tested without a change here.
/// QR_TEST_CODECS
/// ("int4,fp8") restricts them.
const std::vector<Codec>& codecs();
std::vector<Codec> lossy_codecs();

/// f<T>() for the types that `codec` takes.
template <class F>
void for_types_of(const Codec& codec, F&& f) {
  for_codec_types(f);
  if (codec.exact()) f.template operator()<double>();
}

/// The library's own algorithms.
inline const std::vector<std::string> kAlgorithms = {"exchange", "two_shot"};

using Pairs = std::initializer_list<std::pair<const char*, std::string>>;

/// False where the machine's ranks share no memory, which QR_TEST_ROAD=mpi says: calls must go through MPI
/// then.
bool own_road_expected();

/// qr_mpi_comm_set_info with these keys. Returns its code.
int set_settings(MPI_Comm comm, Pairs settings);

/// The same, where it must work.
void use(MPI_Comm comm, Pairs settings);

/// One setting of qr_mpi_comm_get_info; "(absent)" if there is no such key.
std::string setting_of(MPI_Comm comm, const char* key);

struct Plan {
  std::string algorithm, codec, reason;
};
Plan plan_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op = MPI_SUM);

/// The call's code stands for that error of the library (QR_MPI_ERR_...).
testing::AssertionResult failed_with(int code, int error);
testing::AssertionResult succeeded(int code);

/// What qr_mpi_last_error says contains `part`, in capitals or not.
testing::AssertionResult last_error_says(const std::string& part);

/// Sum over `comm` under the settings in force.
template <class T>
int sum(const T* send, T* recv, std::int64_t count, MPI_Comm comm) {
  return qr_mpi_allreduce(send, recv, static_cast<int>(count), Format<T>::datatype(), MPI_SUM, comm);
}
template <class T>
int sum_in_place(T* values, std::int64_t count, MPI_Comm comm) {
  return qr_mpi_allreduce(MPI_IN_PLACE, values, static_cast<int>(count), Format<T>::datatype(), MPI_SUM,
                          comm);
}

/// Sets an environment variable while it lives.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value);
  ~ScopedEnv();
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  std::string name_, before_;
  bool was_set_;
};

}  // namespace qr_test
