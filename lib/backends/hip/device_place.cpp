// Identity of devices by PCI bus id: ordinals and visible-device lists differ from rank to rank.
#include "lib/backends/hip/device_place.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/gpu/gpu_kernels.hpp"
#include "lib/backends/hip/hip_check.hpp"

namespace qr {

namespace {

struct PlaceCard {
  char bus_id[32];
  std::int32_t multiprocessors;
  std::int32_t may_share;
};

/// Time-sliced, two ranks' kernels would wait milliseconds for each other; side by side (CUDA MPS) they do
/// not.
bool may_share() {
  const char* value = std::getenv("QR_MPI_SHARED_DEVICE");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

Vote inspect(const Bootstrap& bootstrap, DevicePlace& place, PlaceCard& card) {
  if (!bootstrap.same_node()) return {Status::kUnavailable, "ranks of several nodes"};
  if (bootstrap.size() > kMaxGpuWorld) {
    return {Status::kUnavailable, "more than " + std::to_string(kMaxGpuWorld) + " ranks on device memory"};
  }
  try {
    int multiprocessors = 0;
    hip_check(hipGetDevice(&place.device), "ask for the current device");
    hip_check(hipDeviceGetPCIBusId(card.bus_id, sizeof card.bus_id, place.device),
              "ask for a device's PCI bus id");
    hip_check(hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount, place.device),
              "ask for a device's size");
    card.multiprocessors = multiprocessors;
    place.bus_id = card.bus_id;
    place.name = device_name(place.device);
  } catch (const Error& error) {
    return {Status::kUnavailable, "rank " + std::to_string(bootstrap.rank()) + ": " + error.what()};
  }
  card.may_share = may_share() ? 1 : 0;
  return {};
}

/// What one of `parties` may fill of a device, so that no party's blocks keep another's out while both wait.
/// Blocks are of unlike sizes, at most half a multiprocessor, and what is left of one may be too little for
/// the next: half of the device, shared out, always finds room. Two parties get halves: the blocks of one
/// spread evenly, and leave half of each multiprocessor to the other.
int part_of(int multiprocessors, int parties) {
  return std::max(1, multiprocessors / (parties <= 2 ? parties : 2 * parties));
}

}  // namespace

std::string device_name(int device) {
  hipDeviceProp_t properties{};
  hip_check(hipGetDeviceProperties(&properties, device), "ask for a device's properties");
  std::string name = static_cast<const char*>(properties.name);
#if defined(__HIP_PLATFORM_AMD__)
  name += std::string(" ") + static_cast<const char*>(properties.gcnArchName);
#endif
  return name;
}

Agreement find_places(Bootstrap& bootstrap, int device_share, DevicePlace& place) {
  PlaceCard card{};
  Agreement agreement = agree(bootstrap, inspect(bootstrap, place, card));
  if (!agreement.ok()) return agreement;

  // From here on all ranks look at the same cards and come to the same end.
  const std::vector<PlaceCard> cards = gather_all(bootstrap, card);
  place.multiprocessors = INT32_MAX;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    int sharers = 0;
    for (std::size_t other = 0; other < cards.size(); ++other) {
      if (std::strcmp(cards[rank].bus_id, cards[other].bus_id) != 0) continue;
      ++sharers;
      if (other <= rank || (cards[rank].may_share != 0 && cards[other].may_share != 0)) continue;
      return {Status::kUnavailable, static_cast<int>(rank),
              "ranks " + std::to_string(rank) + " and " + std::to_string(other) + " are on one device (" +
                  cards[rank].bus_id + "); give each its own, or set QR_MPI_SHARED_DEVICE=1 under CUDA MPS"};
    }
    if (static_cast<int>(rank) == bootstrap.rank()) place.sharers = sharers;
    place.multiprocessors =
        std::min(place.multiprocessors, part_of(cards[rank].multiprocessors, sharers * device_share));
  }
  return agreement;
}

}  // namespace qr
