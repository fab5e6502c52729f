// Where the ranks run: the device of each, who shares one, and how large a grid all can run at the same time.
#pragma once

#include <string>

#include "lib/bootstrap.hpp"

namespace qr {

struct DevicePlace {
  int device = 0;           // ordinal in this process
  std::string bus_id;       // what the device is, whatever it is called here
  std::string name;         // product and architecture
  int sharers = 1;          // ranks on this device, this one included
  int multiprocessors = 0;  // that each rank has for itself, agreed
};

/// Product and, where the runtime tells, architecture. Throws Error(kSystem).
std::string device_name(int device);

/// Collective. The current device is this rank's. Fills `place` on all ranks, or the agreement says why there
/// can be no device arenas: no device, several nodes, too many ranks, or ranks that share a device without
/// leave to.
/// `device_share`: communicators whose calls may run on a device at the same time, equal on all ranks.
Agreement find_places(Bootstrap& bootstrap, int device_share, DevicePlace& place);

}  // namespace qr
