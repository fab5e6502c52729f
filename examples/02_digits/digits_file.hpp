// Reads the handwritten digits from their gzipped table.
#pragma once

#include <string>
#include <vector>

namespace examples {

inline constexpr int kPixels = 64;  // of an 8 x 8 image
inline constexpr int kClasses = 10;

/// Images as rows of kPixels values between 0 and 1, and what each shows.
struct Digits {
  std::vector<float> pixels;
  std::vector<int> labels;

  int size() const { return static_cast<int>(labels.size()); }
  const float* image(int index) const {
    return pixels.data() + std::size_t{kPixels} * static_cast<std::size_t>(index);
  }
  int label(int index) const { return labels[static_cast<std::size_t>(index)]; }
};

/// Throws std::runtime_error, naming file and line, if the file cannot be read or is not such a table.
Digits read_digits(const std::string& path);

/// The data set that came with the examples: where they were built, else where they were installed.
std::string default_digits_path();

}  // namespace examples
