// Reads and writes info objects.
#include "mpi_bindings/comm_info.hpp"

#include <array>
#include <string>

#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

std::string value_of(MPI_Info info, const char* key) {
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int found = 0;
#if MPI_VERSION >= 4
  int bytes = static_cast<int>(value.size());
  require_success(MPI_Info_get_string(info, key, &bytes, value.data(), &found), "MPI_Info_get_string");
#else
  require_success(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found), "MPI_Info_get");
#endif
  return found == 0 ? std::string{} : std::string{value.data()};
}

}  // namespace

Settings settings_with(const Settings& base, MPI_Info info) {
  Settings settings = base;
  if (info == MPI_INFO_NULL) return settings;
  int keys = 0;
  require_success(MPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys");
  for (int index = 0; index < keys; ++index) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    require_success(MPI_Info_get_nthkey(info, index, key.data()), "MPI_Info_get_nthkey");
    apply_setting(settings, key.data(), value_of(info, key.data()), std::string("info key ") + key.data());
  }
  return settings;
}

MPI_Info info_of(const Settings& settings) {
  MPI_Info info = MPI_INFO_NULL;
  require_success(MPI_Info_create(&info), "MPI_Info_create");
  for (const SettingInfo& row : setting_table()) {
    const int code = MPI_Info_set(info, row.name, row.print(settings).c_str());
    if (code != MPI_SUCCESS) static_cast<void>(MPI_Info_free(&info));
    require_success(code, "MPI_Info_set");
  }
  return info;
}

}  // namespace qr::mpi
