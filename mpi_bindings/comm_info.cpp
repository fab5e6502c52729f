// Reads and writes info objects.
#include "mpi_bindings/comm_info.hpp"

#include <array>
#include <string>
#include <vector>

#include "mpi_bindings/errors.hpp"

namespace qr::mpi {

namespace {

std::string value_of(MPI_Info info, const char* key) {
  int found = 0;
#if MPI_VERSION >= 4
  int bytes = 0;  // the terminating zero included
  require_success(MPI_Info_get_string(info, key, &bytes, nullptr, &found), "MPI_Info_get_string");
  if (found == 0 || bytes <= 0) return {};
  std::vector<char> value(static_cast<std::size_t>(bytes));
  require_success(MPI_Info_get_string(info, key, &bytes, value.data(), &found), "MPI_Info_get_string");
#else
  int length = 0;
  require_success(MPI_Info_get_valuelen(info, key, &length, &found), "MPI_Info_get_valuelen");
  if (found == 0) return {};
  std::vector<char> value(static_cast<std::size_t>(length) + 1);
  require_success(MPI_Info_get(info, key, length, value.data(), &found), "MPI_Info_get");
#endif
  return value.data();
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
