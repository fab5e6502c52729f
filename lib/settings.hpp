// Every setting of the library: name, default, allowed values, in one struct and one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qr {

enum class AlgorithmChoice : std::int32_t { kAuto, kExchange, kTwoShot, kMpi };
enum class GpuAwareChoice : std::int32_t { kAuto, kNo, kYes };

/// Settings of one communicator. Environment: QR_MPI_<NAME IN CAPITALS>; MPI_Info key: <name>. All must be
/// equal on all ranks, except `log`.
struct Settings {
  std::string codec = "raw";        // name of a codec, or auto
  std::string auto_codec = "int8";  // the codec that auto may use where it is faster than raw
  AlgorithmChoice algorithm = AlgorithmChoice::kAuto;
  std::int64_t min_bytes = 0;        // shorter messages (bytes of the user's vector) stay exact
  std::int64_t timeout_ms = 300000;  // longest wait for a peer in one call; at least 1
  bool check = true;                 // compare count, datatype, op and codec of all ranks in every call
  std::int64_t arena_bytes =
      16 << 20;  // upper bound of the memory a rank maps for its peers to write into; <= 64 MiB
  int log = 1;   // 0 nothing, 1 warnings, 2 one line a communicator, 3 one line a call
  std::int64_t device_share = 1;  // communicators whose calls may run on a device at the same time
  GpuAwareChoice gpu_aware = GpuAwareChoice::kAuto;  // whether MPI is given pointers to device memory
  std::string shm_dir;  // directory for arena files; empty: anonymous memory, then /dev/shm
  std::string tuning;   // file of rank 0 with a tuning table (tuning.hpp); empty: a table that is built in
};

/// One row of the table of settings.
struct SettingInfo {
  const char* name;
  const char* values;       // for people
  const char* description;  // one sentence
  bool needs_setup;         // read when arenas are made: cannot change on a communicator that has them
  bool local;               // may differ between ranks
  /// Parses `text` into `settings`; throws Error(kConfig) that names the setting, the text and what is
  /// allowed.
  void (*parse)(Settings& settings, std::string_view text);
  std::string (*print)(const Settings& settings);
};
const std::vector<SettingInfo>& setting_table();

/// The row of that name, nullptr if there is none.
const SettingInfo* find_setting(std::string_view name);

/// Sets one setting by name. Throws Error(kConfig) for an unknown name or a bad value; `origin` says in the
/// sentence where the text came from ("environment variable QR_MPI_CODEC", "info key codec").
void apply_setting(Settings& settings, std::string_view name, std::string_view value,
                   std::string_view origin);

/// Defaults, then the environment; an empty variable counts as unset. `get` is getenv, or a test's stand-in.
/// Throws Error(kConfig).
Settings settings_from_environment(const std::function<const char*(const char*)>& get);

/// Name of the environment variable of a setting: QR_MPI_CODEC for codec.
std::string variable_of(std::string_view setting);

/// Variables of a null-terminated environ that look like settings and are none: QR_MPI_ and a name that is
/// not in the table (QR_MPI_TEST_ is left to the tests). For a warning: a misspelt variable would go
/// unnoticed.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace qr
