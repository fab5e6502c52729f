// The arenas of all ranks as one rank sees them: created, exchanged, mapped and proved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/arena.hpp"
#include "lib/backends/host/shared_memory.hpp"
#include "lib/bootstrap.hpp"
#include "lib/settings.hpp"

namespace qr {

/// Mappings live as long as this object; nothing of it has a name in any directory by then.
struct HostArenas {
  ArenaLayout layout;
  std::vector<std::byte*> base;   // by rank
  std::vector<Mapping> mappings;  // own them; a rank of the same process shares its own mapping instead
  std::string road;               // for people: how the peers were reached
};

/// The layout for `world` ranks within settings.arena_bytes. Throws Error(kConfig) if not even the smallest
/// fits.
ArenaLayout host_layout(int world, const Settings& settings);

/// Collective. Fills `arenas` on all ranks, or on none: then the agreement says who could not and why.
Agreement make_host_arenas(Bootstrap& bootstrap, const Settings& settings, HostArenas& arenas);

}  // namespace qr
