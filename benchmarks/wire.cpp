// exchange sends the whole coded vector to each peer; two_shot a share of it to each, and the reduced share
// again.
#include "wire.hpp"

namespace qr::bench {
namespace {

double bits_per_value(const std::string& codec, Element element) {
  if (codec == "raw") return 8.0 * static_cast<double>(bytes_of(element));
  for (int index = 0; index < qr_mpi_codec_count(); ++index) {
    if (codec == qr_mpi_codec_name(index)) return qr_mpi_codec_bits_per_value(index);
  }
  return 0;
}

}  // namespace

std::optional<double> wire_bytes(const PlanText& plan, std::int64_t count, Element element, int ranks) {
  const double vector = static_cast<double>(count) * bits_per_value(plan.codec, element) / 8;
  if (plan.algorithm == "exchange") return (ranks - 1) * vector;
  if (plan.algorithm == "two_shot") return 2.0 * (ranks - 1) / ranks * vector;
  return std::nullopt;
}

}  // namespace qr::bench
