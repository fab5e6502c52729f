// Identity of devices by PCI bus id, for each rank may have a visible-device list of its own.
#include "device.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "lib/backends/hip/device_place.hpp"
#include "lib/backends/hip/hip_check.hpp"

namespace qr::bench {
namespace {

using BusId = std::array<char, 32>;

std::string version_text() {
  int runtime = 0, driver = 0;
  hip_check(hipRuntimeGetVersion(&runtime), "ask for the runtime's version");
  hip_check(hipDriverGetVersion(&driver), "ask for the driver's version");
  return fmt::format("runtime {}, driver {}", runtime, driver);
}

/// The device number `turn`, beginning again behind the last one.
Device take_device(int turn) {
  Device device;
  int devices = 0;
  hip_check(hipGetDeviceCount(&devices), "count devices");
  if (devices == 0) throw std::runtime_error("there is no device");
  device.ordinal = turn % devices;
  hip_check(hipSetDevice(device.ordinal), "make a device current");
  BusId bus_id{};
  hip_check(hipDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device.ordinal),
            "ask for a device's PCI bus id");
  device.bus_id = bus_id.data();
  hipDeviceProp_t properties{};
  hip_check(hipGetDeviceProperties(&properties, device.ordinal), "ask for a device's properties");
  device.name = device_name(device.ordinal);
  device.cache_bytes = properties.l2CacheSize;
  device.multiprocessors = properties.multiProcessorCount;
  device.runtime = version_text();
  return device;
}

void count_neighbours(Device& device, MPI_Comm node, MPI_Comm comm) {
  BusId mine{};
  device.bus_id.copy(mine.data(), mine.size() - 1);
  std::vector<BusId> all(static_cast<std::size_t>(size_of(node)));
  check(MPI_Allgather(mine.data(), sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, node),
        "MPI_Allgather");
  device.sharers = 0;
  int first = 1;
  for (int rank = 0; rank < size_of(node); ++rank) {
    if (std::strcmp(all[static_cast<std::size_t>(rank)].data(), mine.data()) != 0) continue;
    ++device.sharers;
    if (rank < rank_of(node)) first = 0;
  }
  check(MPI_Allreduce(&device.sharers, &device.most_sharers, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  check(MPI_Allreduce(&first, &device.devices, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
  first = rank_of(node) == 0 ? 1 : 0;
  check(MPI_Allreduce(&first, &device.nodes, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
}

}  // namespace

Device choose_device(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  Device device;
  std::string complaint;
  try {
    device = take_device(rank_of(node));
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  complaint = first_complaint(complaint, comm);
  if (complaint.empty()) count_neighbours(device, node, comm);
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  if (!complaint.empty()) throw CommonError(fmt::format("no device to use: {}", complaint));
  return device;
}

}  // namespace qr::bench
