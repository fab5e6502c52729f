// Parses and prints sizes; splits lists.
#include "text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace qr::bench {

std::int64_t bytes_from_text(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit;
  for (const char letter : text.substr(static_cast<std::size_t>(end - text.data()))) {
    if (letter != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  int power = -1;
  for (const std::string_view known : {"", "k", "m", "g", "t"}) {
    ++power;
    const std::string prefix(known);
    if (unit != prefix && unit != prefix + "b" && unit != prefix + "ib") continue;
    const double bytes = std::round(std::ldexp(number, 10 * power));
    if (error == std::errc{} && bytes >= 0 && bytes < 0x1p62) return static_cast<std::int64_t>(bytes);
  }
  throw std::invalid_argument(fmt::format("'{}' is no size; write for example 4096, 64K, 64KiB or 1G", text));
}

std::string text_from_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  // Exact in the largest unit that allows it, unless that takes more than five digits.
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  auto number = static_cast<double>(bytes);
  if (bytes < 100000) return fmt::format("{} {}", bytes, kUnits[unit]);
  while (number >= 1024 && unit + 1 < kUnits.size()) {
    number /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", number, kUnits[unit]);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (comma > 0) items.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

std::string join(const std::vector<std::string>& items, std::string_view between) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += between;
    text += item;
  }
  return text;
}

std::string command_line_of(int argc, char** argv) {
  std::string line;
  for (int index = 0; index < argc; ++index) {
    std::string_view word = argv[index];
    if (index == 0) word.remove_prefix(word.rfind('/') + 1);  // npos + 1 is 0
    if (index > 0) line += ' ';
    line += word;
  }
  return line;
}

}  // namespace qr::bench
