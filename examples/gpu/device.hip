// Choosing the device by the rank's number on its node.
#include <cstdlib>
#include <stdexcept>

#include "common/mpi_check.hpp"
#include "device.hpp"
#include "runtime.hpp"

namespace examples {

namespace {

int device_count() {
  int devices = 0;
  if (hipGetDeviceCount(&devices) == hipSuccess) return devices;
  static_cast<void>(hipGetLastError());  // no driver, no device: an answer, not a failure
  return 0;
}

/// How many ranks of this node use `device` too, this one included. By its place on the bus: where a launcher
/// shows each rank a device of its own, all of them are number 0.
int users_of(int device, MPI_Comm node) {
  constexpr int kLength = 32;
  int ranks = 1;
  check(MPI_Comm_size(node, &ranks));
  std::string mine(kLength, '\0');
  check_gpu(hipDeviceGetPCIBusId(mine.data(), kLength, device));
  std::string all(static_cast<std::size_t>(ranks * kLength), '\0');
  check(MPI_Allgather(mine.data(), kLength, MPI_CHAR, all.data(), kLength, MPI_CHAR, node));
  int users = 0;
  for (std::size_t at = 0; at < all.size(); at += kLength) users += all.compare(at, kLength, mine) == 0;
  return users;
}

bool may_share() {
  const char* const text = std::getenv("QR_MPI_SHARED_DEVICE");
  return text != nullptr && std::string(text) == "1";
}

}  // namespace

std::optional<std::string> use_device(MPI_Comm comm) {
  const int devices = device_count();
  int fewest = devices;
  check(MPI_Allreduce(MPI_IN_PLACE, &fewest, 1, MPI_INT, MPI_MIN, comm));
  if (fewest == 0) return std::nullopt;

  MPI_Comm node = MPI_COMM_NULL;
  int rank_of_node = 0;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check(MPI_Comm_rank(node, &rank_of_node));
  const int device = rank_of_node % devices;
  check_gpu(hipSetDevice(device));
  const int users = users_of(device, node);
  check(MPI_Comm_free(&node));
  if (users > 1 && !may_share()) {
    throw std::runtime_error(std::to_string(users) +
                             " ranks would share a device: allow it with QR_MPI_SHARED_DEVICE=1 (on NVIDIA, "
                             "under CUDA MPS), or pass --host to compute in host memory");
  }
  hipDeviceProp_t properties{};
  check_gpu(hipGetDeviceProperties(&properties, device));
  return properties.name + (users > 1 ? ", shared by " + std::to_string(users) + " ranks" : std::string());
}

}  // namespace examples
