// Choosing a codec for a communicator through an MPI_Info, and what a call then sends.
#include "codec_comm.hpp"

#include <qr_mpi/qr_mpi.h>

#include <algorithm>

#include "mpi_check.hpp"

namespace examples {

std::vector<Codec> all_codecs() {
  std::vector<Codec> codecs;
  codecs.reserve(static_cast<std::size_t>(qr_mpi_codec_count()));
  for (int index = 0; index < qr_mpi_codec_count(); ++index) {
    // Index 0 is raw, which sends a value in its own type: here 32 bits, not the 16 that the library lists.
    const double bits = index == 0 ? 8.0 * sizeof(float) : qr_mpi_codec_bits_per_value(index);
    codecs.push_back({qr_mpi_codec_name(index), bits});
  }
  return codecs;
}

std::vector<std::string> names_of(const std::vector<Codec>& codecs) {
  std::vector<std::string> names;
  names.reserve(codecs.size());
  for (const Codec& codec : codecs) names.push_back(codec.name);
  return names;
}

std::vector<Codec> codecs_named(const std::vector<std::string>& names) {
  const std::vector<Codec> all = all_codecs();
  std::vector<Codec> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Codec& c) { return c.name == name; });
    if (found != all.end()) chosen.push_back(*found);
  }
  return chosen;
}

CodecComm::CodecComm(MPI_Comm parent, const std::string& codec) {
  check(MPI_Comm_dup(parent, &comm_));
  // So that an error comes back to check(), which prints the library's whole sentence.
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info));
  check(MPI_Info_set(info, "codec", codec.c_str()));
  check(qr_mpi_comm_set_info(comm_, info));
  check(MPI_Info_free(&info));
}

CodecComm::~CodecComm() { check(MPI_Comm_free(&comm_)); }

Traffic traffic_of_sum(MPI_Comm comm, MPI_Count count, bool on_device) {
  int ranks = 1;
  check(MPI_Comm_size(comm, &ranks));
  const char* algorithm = "";
  const char* codec = "";
  const auto plan = on_device ? qr_mpi_comm_plan_on_device : qr_mpi_comm_plan;
  check(plan(comm, count, MPI_FLOAT, MPI_SUM, &algorithm, &codec, nullptr));
  // The plan's codec, not the one asked for: where the library cannot work, MPI sums exactly.
  const std::vector<Codec> used = codecs_named({codec});
  const double bits = used.empty() ? 8.0 * sizeof(float) : used.front().bits_per_float;
  const double peers = ranks - 1;
  // exchange sends the whole vector to every peer; two_shot sends a 1/ranks share of it to every peer, twice.
  const double vectors = std::string(algorithm) == "exchange" ? peers : 2 * peers / ranks;
  return {algorithm, bits, vectors * static_cast<double>(count) * bits / 8};
}

}  // namespace examples
