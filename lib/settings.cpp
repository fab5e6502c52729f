// The table of settings: how each one is parsed, checked and printed.
#include "lib/settings.hpp"

#include <algorithm>
#include <charconv>

#include "kernels/packet_ops.hpp"
#include "lib/status.hpp"

namespace qr {

namespace {

constexpr std::string_view kPrefix = "QR_MPI_";
constexpr std::string_view kTestPrefix = "QR_MPI_TEST_";
// Read by the device back end; it is about a machine, not about a communicator.
constexpr std::string_view kSharedDevice = "QR_MPI_SHARED_DEVICE";
constexpr const char* kGpuAwareNames[] = {"auto", "0", "1"};                        // by GpuAwareChoice
constexpr const char* kAlgorithmNames[] = {"auto", "exchange", "two_shot", "mpi"};  // by AlgorithmChoice

constexpr std::int64_t kLargestMinBytes = std::int64_t{1} << 62;
constexpr std::int64_t kLargestTimeout = (std::int64_t{1} << 31) - 1;
constexpr std::size_t kLongestPath = 200;  // ranks exchange file names in records of 256 bytes
constexpr std::int64_t kLargestShare = 64;
constexpr std::int64_t kLeastArena = 64 << 10;
constexpr std::int64_t kLargestArena = 64 << 20;

/// Number of single-letter edits between two short names.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// "; did you mean int4?" when one of the names is close to what was written, or nothing.
std::string suggestion(std::string_view text, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // the distance takes quadratic time, and nobody misspells so much
  if (text.size() > kLongest) return {};
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  std::size_t best = text.size() < 4 ? 2 : 3;  // two letters, or two swapped; one in very short names
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    const std::size_t edits = distance(lower, name);
    if (edits < best) {
      best = edits;
      nearest = &name;
    }
  }
  return nearest == nullptr ? std::string{} : "; did you mean " + *nearest + "?";
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void refuse(const char* setting, std::string_view text, const std::string& allowed) {
  throw Error(Status::kConfig,
              std::string(setting) + " cannot be \"" + std::string(text) + "\"; allowed: " + allowed);
}

/// One of `names`, or an error that lists them.
std::size_t parse_name(const char* setting, std::string_view text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) refuse(setting, text, joined(names) + suggestion(text, names));
  return static_cast<std::size_t>(found - names.begin());
}

/// A whole decimal number between two bounds: no sign, no blanks, no unit.
std::int64_t parse_integer(const char* setting, std::string_view text, std::int64_t least,
                           std::int64_t largest) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < least || value > largest ||
      text.front() == '-') {
    refuse(setting, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(largest));
  }
  return value;
}

/// The codecs of this build that `wanted` accepts, by name.
template <class Wanted>
std::vector<std::string> codec_names(const Wanted& wanted) {
  std::vector<std::string> names;
  for (int codec = 0; codec < codec_count(); ++codec) {
    if (wanted(codec_info(codec))) names.emplace_back(codec_info(codec).name);
  }
  return names;
}

void parse_codec(Settings& settings, std::string_view text) {
  std::vector<std::string> names = codec_names([](const CodecInfo&) { return true; });
  names.emplace_back("auto");
  settings.codec = names[parse_name("codec", text, names)];
}

void parse_auto_codec(Settings& settings, std::string_view text) {
  const std::vector<std::string> names = codec_names([](const CodecInfo& codec) { return !codec.exact; });
  settings.auto_codec = names[parse_name("auto_codec", text, names)];
}

void parse_algorithm(Settings& settings, std::string_view text) {
  const std::vector<std::string> names(std::begin(kAlgorithmNames), std::end(kAlgorithmNames));
  settings.algorithm = static_cast<AlgorithmChoice>(parse_name("algorithm", text, names));
}

void parse_gpu_aware(Settings& settings, std::string_view text) {
  const std::vector<std::string> names(std::begin(kGpuAwareNames), std::end(kGpuAwareNames));
  settings.gpu_aware = static_cast<GpuAwareChoice>(parse_name("gpu_aware", text, names));
}

void parse_shm_dir(Settings& settings, std::string_view text) {
  // MPI_Info holds no empty values, so the default has a name too.
  if (text.empty() || text == "auto") {
    settings.shm_dir.clear();
    return;
  }
  // Ranks need not share a current directory.
  if (text.front() != '/' || text.size() > kLongestPath) {
    refuse("shm_dir", text,
           "an absolute path of at most " + std::to_string(kLongestPath) + " bytes, or auto");
  }
  settings.shm_dir = text;
}

/// Only rank 0 reads it, so a relative path will do.
void parse_tuning_path(Settings& settings, std::string_view text) {
  if (text.empty() || text == "auto") {
    settings.tuning.clear();
    return;
  }
  if (text.size() > kLongestPath)
    refuse("tuning", text, "a path of at most " + std::to_string(kLongestPath) + " bytes, or auto");
  settings.tuning = text;
}

std::vector<SettingInfo> make_table() {
  return {
      {"codec", "a codec's name, or auto", "How values travel between ranks.", false, false, parse_codec,
       [](const Settings& settings) { return settings.codec; }},
      {"auto_codec", "a lossy codec's name", "What codec=auto may use where it is faster than raw.", false,
       false, parse_auto_codec, [](const Settings& settings) { return settings.auto_codec; }},
      {"algorithm", "auto, exchange, two_shot, mpi", "Which road calls take.", false, false, parse_algorithm,
       [](const Settings& settings) {
         return std::string(kAlgorithmNames[static_cast<std::size_t>(settings.algorithm)]);
       }},
      {"min_bytes", "0 to 2^62", "Messages shorter than this many bytes stay exact.", false, false,
       [](Settings& settings, std::string_view text) {
         settings.min_bytes = parse_integer("min_bytes", text, 0, kLargestMinBytes);
       },
       [](const Settings& settings) { return std::to_string(settings.min_bytes); }},
      {"timeout_ms", "1 to 2^31 - 1", "Longest wait for a peer within one call, in milliseconds.", true,
       false,
       [](Settings& settings, std::string_view text) {
         settings.timeout_ms = parse_integer("timeout_ms", text, 1, kLargestTimeout);
       },
       [](const Settings& settings) { return std::to_string(settings.timeout_ms); }},
      {"check", "0, 1", "Whether the arguments of all ranks are compared in every call.", false, false,
       [](Settings& settings, std::string_view text) {
         settings.check = parse_integer("check", text, 0, 1) == 1;
       },
       [](const Settings& settings) { return std::string(settings.check ? "1" : "0"); }},
      {"arena_bytes", "65536 to 67108864", "Bound on the memory that a rank maps for its peers.", true, false,
       [](Settings& settings, std::string_view text) {
         settings.arena_bytes = parse_integer("arena_bytes", text, kLeastArena, kLargestArena);
       },
       [](const Settings& settings) { return std::to_string(settings.arena_bytes); }},
      {"log", "0, 1, 2, 3", "0 nothing, 1 warnings, 2 one line a communicator, 3 one line a call.", false,
       true,
       [](Settings& settings, std::string_view text) {
         settings.log = static_cast<int>(parse_integer("log", text, 0, 3));
       },
       [](const Settings& settings) { return std::to_string(settings.log); }},
      {"device_share", "1 to 64",
       "Communicators whose calls run on a device at the same time, each on its part of it.", true, false,
       [](Settings& settings, std::string_view text) {
         settings.device_share = parse_integer("device_share", text, 1, kLargestShare);
       },
       [](const Settings& settings) { return std::to_string(settings.device_share); }},
      {"gpu_aware", "auto, 0, 1", "Whether MPI is given pointers to device memory; auto asks it.", false,
       false, parse_gpu_aware,
       [](const Settings& settings) {
         return std::string(kGpuAwareNames[static_cast<std::size_t>(settings.gpu_aware)]);
       }},
      {"shm_dir", "an absolute path, or auto", "Directory for the arenas' files.", true, false, parse_shm_dir,
       [](const Settings& settings) {
         return settings.shm_dir.empty() ? std::string("auto") : settings.shm_dir;
       }},
      {"tuning", "a file that rank 0 can read, or auto",
       "Table of times and rates for plans in device memory; auto: one that is built in.", false, false,
       parse_tuning_path,
       [](const Settings& settings) {
         return settings.tuning.empty() ? std::string("auto") : settings.tuning;
       }},
  };
}

}  // namespace

const std::vector<SettingInfo>& setting_table() {
  static const std::vector<SettingInfo> table = make_table();
  return table;
}

const SettingInfo* find_setting(std::string_view name) {
  for (const SettingInfo& row : setting_table()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

void apply_setting(Settings& settings, std::string_view name, std::string_view value,
                   std::string_view origin) {
  const SettingInfo* const row = find_setting(name);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const SettingInfo& known : setting_table()) names.emplace_back(known.name);
    throw Error(Status::kConfig, std::string(origin) + ": there is no setting \"" + std::string(name) +
                                     "\"; there are: " + joined(names) + suggestion(name, names));
  }
  try {
    row->parse(settings, value);
  } catch (const Error& error) {
    throw Error(error.status(), std::string(origin) + ": " + error.what());
  }
}

std::string variable_of(std::string_view setting) {
  std::string name(kPrefix);
  for (const char letter : setting) {
    name += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  return name;
}

Settings settings_from_environment(const std::function<const char*(const char*)>& get) {
  Settings settings;
  for (const SettingInfo& row : setting_table()) {
    const std::string variable = variable_of(row.name);
    const char* const value = get(variable.c_str());
    if (value != nullptr && *value != '\0')
      apply_setting(settings, row.name, value, "environment variable " + variable);
  }
  return settings;
}

std::vector<std::string> unknown_variables(const char* const* environment) {
  std::vector<std::string> unknown;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view variable = entry.substr(0, entry.find('='));
    if (!variable.starts_with(kPrefix) || variable.starts_with(kTestPrefix)) continue;
    if (variable == kSharedDevice) continue;
    const bool known = std::any_of(setting_table().begin(), setting_table().end(),
                                   [&](const SettingInfo& row) { return variable == variable_of(row.name); });
    if (!known) unknown.emplace_back(variable);
  }
  return unknown;
}

}  // namespace qr
