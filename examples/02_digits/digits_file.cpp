// The table: 64 pixel counts (0 to 16) and the digit, separated by commas, one image a line, gzipped.
#include "digits_file.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace examples {

namespace {

constexpr int kLargestPixel = 16;

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};

/// Reads one line's numbers into `digits`; false if the line is not 64 pixels and a digit.
bool append_row(const char* line, Digits& digits) {
  const char* const end = line + std::strcspn(line, "\r\n");
  std::array<int, kPixels + 1> row{};
  const char* at = line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (column > 0 && (at == end || *at++ != ',')) return false;
    const auto [next, error] = std::from_chars(at, end, row[column]);
    const int largest = column < kPixels ? kLargestPixel : kClasses - 1;
    if (error != std::errc() || row[column] < 0 || row[column] > largest) return false;
    at = next;
  }
  if (at != end) return false;
  for (std::size_t column = 0; column < kPixels; ++column) {
    digits.pixels.push_back(static_cast<float>(row[column]) / kLargestPixel);
  }
  digits.labels.push_back(row[kPixels]);
  return true;
}

}  // namespace

Digits read_digits(const std::string& path) {
  const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));
  if (!file) throw std::runtime_error(fmt::format("cannot open {}; name the data with --data", path));
  Digits digits;
  std::array<char, 512> line{};
  while (gzgets(file.get(), line.data(), static_cast<int>(line.size()))) {
    if (!append_row(line.data(), digits)) {
      throw std::runtime_error(fmt::format("{}:{}: not 64 pixels and a digit", path, digits.size() + 1));
    }
  }
  int error = Z_OK;
  const char* const text =
      gzerror(file.get(), &error);  // a damaged or cut file ends early, as if all were well
  if (error != Z_OK && error != Z_STREAM_END) throw std::runtime_error(fmt::format("{}: {}", path, text));
  return digits;
}

std::string default_digits_path() {
  const std::string built = QR_EXAMPLES_SOURCE_DATA "/digits.csv.gz";
  const std::string installed = QR_EXAMPLES_INSTALLED_DATA "/digits.csv.gz";
  return std::filesystem::exists(built) ? built : installed;
}

}  // namespace examples
