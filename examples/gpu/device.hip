// Choosing the device by the rank's number on its node.
#include <cstdlib>

#include "common/mpi_check.hpp"
#include "device.hpp"
#include "runtime.hpp"

namespace examples {

namespace {

struct Place {
  int rank = 0;  // among the ranks of this node
  int ranks = 1;
};

Place place_on_node(MPI_Comm comm) {
  Place place;
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check(MPI_Comm_rank(node, &place.rank));
  check(MPI_Comm_size(node, &place.ranks));
  check(MPI_Comm_free(&node));
  return place;
}

int device_count() {
  int devices = 0;
  if (hipGetDeviceCount(&devices) == hipSuccess) return devices;
  static_cast<void>(hipGetLastError());  // no driver, no device: an answer, not a failure
  return 0;
}

}  // namespace

std::optional<std::string> use_device(MPI_Comm comm) {
  const Place place = place_on_node(comm);
  const int devices = device_count();
  int fewest = devices;
  check(MPI_Allreduce(MPI_IN_PLACE, &fewest, 1, MPI_INT, MPI_MIN, comm));
  if (fewest == 0) return std::nullopt;

  const char* const may_share = std::getenv("QR_MPI_SHARED_DEVICE");
  if (place.ranks > devices && (may_share == nullptr || std::string(may_share) != "1")) {
    throw std::runtime_error(std::to_string(place.ranks) + " ranks of this node have " +
                             std::to_string(devices) +
                             " device(s): set QR_MPI_SHARED_DEVICE=1 (on NVIDIA, under CUDA MPS) to share "
                             "them, or pass --host to compute in host memory");
  }
  const int device = place.rank % devices;
  check_gpu(hipSetDevice(device));
  hipDeviceProp_t properties{};
  check_gpu(hipGetDeviceProperties(&properties, device));
  std::string text = properties.name;
  if (place.ranks > devices) {
    text += ", " + std::to_string(place.ranks) + " ranks share " + std::to_string(devices) + " device(s)";
  }
  return text;
}

}  // namespace examples
