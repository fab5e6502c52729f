// The text of tuning tables, and how all ranks come to have the same one.
#include "lib/tuning.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "kernels/packet_ops.hpp"
#include "lib/status.hpp"

namespace qr {

namespace {

constexpr std::string_view kVersionKey = "qr_mpi_tuning";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kCodecPrefix = "codec.";
constexpr std::string_view kOther = "other";  // codecs without a line of their own
constexpr std::size_t kMostBytes = 64 << 10;
constexpr std::string_view kRemedy = "; correct it, or write a new file with qr_mpi_tune";

/// One number of the table.
struct Key {
  const char* name;
  double& (*of)(Tuning& tuning);
  double least;
  const char* comment;
};

constexpr double kAnyTime = 1e6;     // us
constexpr double kAnyRate = 1e9;     // GB/s, values or threads a nanosecond
constexpr double kLeastRate = 1e-6;  // rates are divided by

const std::vector<Key>& keys() {
  static const std::vector<Key> table = {
      {"flagged.raw_us", [](Tuning& t) -> double& { return t.flagged.raw_us; }, 0,
       "an exchange whose data carry their flags, two ranks, next to no data"},
      {"flagged.block_us", [](Tuning& t) -> double& { return t.flagged.block_us; }, 0, "with a codec"},
      {"flagged.peer_us", [](Tuning& t) -> double& { return t.flagged.peer_us; }, 0, "for each further rank"},
      {"exchange.raw_us", [](Tuning& t) -> double& { return t.exchange.raw_us; }, 0,
       "an exchange with signals"},
      {"exchange.block_us", [](Tuning& t) -> double& { return t.exchange.block_us; }, 0, ""},
      {"exchange.peer_us", [](Tuning& t) -> double& { return t.exchange.peer_us; }, 0, ""},
      {"two_shot.raw_us", [](Tuning& t) -> double& { return t.two_shot.raw_us; }, 0, ""},
      {"two_shot.block_us", [](Tuning& t) -> double& { return t.two_shot.block_us; }, 0, ""},
      {"two_shot.peer_us", [](Tuning& t) -> double& { return t.two_shot.peer_us; }, 0, ""},
      {"flagged.raw_threads_per_ns", [](Tuning& t) -> double& { return t.flagged_raw; }, kLeastRate, ""},
      {"flagged.block_threads_per_ns", [](Tuning& t) -> double& { return t.flagged_block; }, kLeastRate, ""},
      {"link.gb_per_s", [](Tuning& t) -> double& { return t.link_gb_per_s; }, kLeastRate,
       "out of a device, to all others at once"},
      {"link.peer_gb_per_s", [](Tuning& t) -> double& { return t.peer_gb_per_s; }, kLeastRate,
       "to one of them"},
      {"memory.gb_per_s", [](Tuning& t) -> double& { return t.memory_gb_per_s; }, kLeastRate,
       "read plus written"},
      {"cache.gb_per_s", [](Tuning& t) -> double& { return t.cache_gb_per_s; }, kLeastRate,
       "the same within the cache"},
      {"cache.mib", [](Tuning& t) -> double& { return t.cache_mib; }, 0,
       "traffic of a call that the cache serves"},
  };
  return table;
}

constexpr std::string_view kNameKey = "name";
constexpr std::string_view kBlocksKey = "flagged.blocks";

std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r";
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// Reads one text.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Tuning read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(words_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    line_ = 0;
    if (!version_) fail(std::string("it lacks the line \"") + version_line() + "\"");
    require(kNameKey);
    require(kBlocksKey);
    for (const Key& key : keys()) require(key.name);
    require(std::string(kCodecPrefix) + std::string(kOther));
    for (int codec = 1; codec < std::min(codec_count(), Tuning::kMostCodecs); ++codec) {
      const auto index = static_cast<std::size_t>(codec);
      if (!seen(std::string(kCodecPrefix) + codec_info(codec).name)) tuning_.codecs[index] = other_;
    }
    return tuning_;
  }

 private:
  static std::string version_line() { return std::string(kVersionKey) + " " + std::string(kVersion); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Status::kConfig, "tuning table " + std::string(origin_) +
                                     (line_ > 0 ? ", line " + std::to_string(line_) : std::string()) + ": " +
                                     what + std::string(kRemedy));
  }
  [[nodiscard]] bool seen(std::string_view key) const {
    return std::find(seen_.begin(), seen_.end(), key) != seen_.end();
  }
  void require(std::string_view key) const {
    if (!seen(key)) fail("it lacks the key \"" + std::string(key) + "\"");
  }

  void take(const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    const std::string_view key = words.front();
    if (!version_) {
      if (key != kVersionKey || words.size() != 2 || words[1] != kVersion)
        fail("a table of this version begins with \"" + version_line() + "\"");
      version_ = true;
      return;
    }
    if (seen(key)) fail("the key \"" + std::string(key) + "\" comes a second time");
    seen_.emplace_back(key);
    const std::size_t values = key.starts_with(kCodecPrefix) ? 4 : 1;
    if (words.size() != values + 1) {
      fail("the key \"" + std::string(key) + "\" takes " + std::to_string(values) +
           (values == 1 ? " value" : " values (encode and decode 16-bit values, encode and decode 32-bit)") +
           ", here are " + std::to_string(words.size() - 1));
    }
    if (key == kNameKey) return take_name(words[1]);
    if (key == kBlocksKey) return take_blocks(words[1]);
    if (key.starts_with(kCodecPrefix)) return take_codec(key.substr(kCodecPrefix.size()), words);
    for (const Key& known : keys()) {
      if (key != known.name) continue;
      known.of(tuning_) = number(key, words[1], known.least, known.least > 0 ? kAnyRate : kAnyTime);
      return;
    }
    fail("there is no key \"" + std::string(key) + "\"");
  }

  double number(std::string_view key, std::string_view text, double least, double most) const {
    double value = 0;
    const std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !std::isfinite(value) ||
        value < least || value > most) {
      char range[64];
      std::snprintf(range, sizeof range, "%g to %g", least, most);
      fail("\"" + std::string(key) + "\" cannot be \"" + std::string(text) + "\"; allowed: a number from " +
           range);
    }
    return value;
  }

  void take_name(std::string_view text) {
    if (text.size() >= Tuning::kNameBytes)
      fail("the name has more than " + std::to_string(Tuning::kNameBytes - 1) + " bytes");
    text.copy(tuning_.name, Tuning::kNameBytes - 1);
  }
  void take_blocks(std::string_view text) {
    constexpr double kMost = 1 << 20;
    const double value = number(kBlocksKey, text, 0, kMost);
    if (value != std::floor(value)) fail("\"flagged.blocks\" is a whole number");
    tuning_.flagged_blocks = static_cast<std::int32_t>(value);
  }
  void take_codec(std::string_view name, const std::vector<std::string_view>& words) {
    CodecRates rates;
    double* const places[] = {&rates.encode_16, &rates.decode_16, &rates.encode_32, &rates.decode_32};
    for (std::size_t i = 0; i < std::size(places); ++i)
      *places[i] = number(words.front(), words[i + 1], kLeastRate, kAnyRate);
    if (name == kOther) {
      other_ = rates;
      return;
    }
    const int codec = find_codec(std::string(name).c_str());
    if (codec <= 0 || codec >= Tuning::kMostCodecs)
      fail("this build has no block codec \"" + std::string(name) + "\"");
    tuning_.codecs[static_cast<std::size_t>(codec)] = rates;
  }

  std::string_view origin_;
  int line_ = 0;  // 0: the whole
  bool version_ = false;
  std::vector<std::string> seen_;
  CodecRates other_;
  Tuning tuning_;
};

std::string text_of(double value) {
  char text[64];
  const std::to_chars_result result = std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

std::string codec_line(std::string_view name, const CodecRates& rates) {
  return std::string(kCodecPrefix) + std::string(name) + " " + text_of(rates.encode_16) + " " +
         text_of(rates.decode_16) + " " + text_of(rates.encode_32) + " " + text_of(rates.decode_32) + "\n";
}

}  // namespace

Tuning parse_tuning(std::string_view text, std::string_view origin) { return Reader(origin).read(text); }

std::string format_tuning(const Tuning& tuning) {
  Tuning copy = tuning;
  std::string text = std::string(kVersionKey) + " " + std::string(kVersion) + "\n";
  text += std::string(kNameKey) + " " + tuning.name + "\n";
  text += std::string(kBlocksKey) + " " + std::to_string(tuning.flagged_blocks) +
          "  # the largest flagged exchange; 0: none\n";
  for (const Key& key : keys()) {
    text += std::string(key.name) + " " + text_of(key.of(copy));
    text += *key.comment != '\0' ? std::string("  # ") + key.comment + "\n" : std::string("\n");
  }
  text += "# values a nanosecond: encode and decode 16-bit values, encode and decode 32-bit values\n";
  CodecRates slowest;
  for (int codec = 1; codec < std::min(codec_count(), Tuning::kMostCodecs); ++codec) {
    const CodecRates& rates = tuning.codecs[static_cast<std::size_t>(codec)];
    text += codec_line(codec_info(codec).name, rates);
    if (codec == 1 || rates.encode_16 < slowest.encode_16) slowest = rates;
  }
  return text + codec_line(kOther, slowest);
}

Tuning read_tuning(const std::string& path) {
  const auto fail = [&path](const std::string& what) -> Error {
    return {Status::kConfig, "tuning table " + path + ": " + what +
                                 "; name a file that rank 0 can read, or auto (see QR_MPI_TUNING)"};
  };
  // Not a pipe, which would wait for whoever writes it.
  std::error_code error;
  if (const auto kind = std::filesystem::status(path, error).type();
      kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found &&
      kind != std::filesystem::file_type::none) {
    throw fail("is not a regular file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw fail(std::string("cannot be opened: ") + std::strerror(errno));
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) throw fail("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) throw fail("has more than " + std::to_string(kMostBytes) + " bytes");
  return parse_tuning(text, path);
}

Tuning agree_on_tuning(Bootstrap& bootstrap, const std::string& path) {
  Tuning tuning;
  Vote vote;
  if (bootstrap.rank() == 0) {
    try {
      tuning = read_tuning(path);
    } catch (const Error& error) {
      vote = {error.status(), std::string("rank 0: ") + error.what()};
    }
  }
  const Agreement agreement = agree(bootstrap, vote);
  if (!agreement.ok()) throw Error(agreement.status, agreement.text);
  return from_first(bootstrap, tuning);
}

}  // namespace qr
