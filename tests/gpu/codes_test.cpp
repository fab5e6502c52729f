// The codecs' arithmetic on the device against the codec's own on the host: every code, and every place where
// one code ends and the next begins, from both sides. What a GPU's conversion instructions have to pass.
//   codes_test
#include <bit>
#include <cmath>
#include <cstdio>

#include "codec_list.hpp"
#include "codes_kernels.hpp"
#include "kernels/math.hpp"
#include "lib/status.hpp"

namespace qr::test {
namespace {

/// All finite floats of up to 8 significant bits, both signs, subnormals too, with their neighbours above and
/// below and what lies half-way to the next: where a code of up to 6 significant bits ends is among them.
/// None is larger than `largest`.
std::vector<float> edges(float largest) {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0x0000U, 0x0001U, 0x8000U, 0xFFFFU}) {
      const auto value = std::bit_cast<float>(high << 16 | low);
      if (std::abs(value) <= largest) values.push_back(value);
    }
  }
  while (values.size() % 8 != 0) values.push_back(0.0F);
  return values;
}

int differing(const char* name, const char* what, const std::vector<double>& in,
              const std::vector<double>& expected, const std::vector<double>& seen) {
  int wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (expected[i] == seen[i]) continue;
    if (++wrong == 1) std::printf("%s, %s: %a gives %g, not %g\n", name, what, in[i], seen[i], expected[i]);
  }
  std::printf("%-5s %-7s %zu compared, %d differ\n", name, what, in.size(), wrong);
  return wrong;
}

template <class C>
int check(int codec, const char* name) {
  const auto doubles = [](const auto& from) { return std::vector<double>(from.begin(), from.end()); };
  int wrong = 0;
  for (const bool sums : {false, true}) {
    // Without sums a block's extreme is all that is beyond the largest value, by a rounded scale.
    const auto values = edges(sums ? 0x1.FFFFFEp127F : C::kLargest * (1 + 1.0F / 64));
    std::vector<double> expected;
    for (const float value : values) expected.push_back(C::template encode<ScalarMath>(value, 1.0F));
    wrong += differing(name, sums ? "sums" : "values", doubles(values), expected,
                       doubles(device_codes(codec, sums, values)));
  }
  std::vector<std::uint8_t> codes;
  std::vector<double> expected;
  for (int i = 0; i < 256; ++i) {
    codes.push_back(static_cast<std::uint8_t>(i & ((1 << C::kBits) - 1)));
    // The only codes that no encoder makes: E4M3's, which are above its largest value.
    if (std::abs(C::template decode<ScalarMath>(codes.back(), 1.0F)) > C::kLargest) codes.back() = 0;
    expected.push_back(C::template decode<ScalarMath>(codes.back(), 1.0F));
  }
  return wrong + differing(name, "codes", doubles(codes), expected, doubles(device_values(codec, codes)));
}

int check_all() {
  int codec = 0;
  int wrong = 0;
#define QR_CHECK(name, Codec) wrong += check<Codec>(++codec, #name);
  QR_BLOCK_CODECS(QR_CHECK)
#undef QR_CHECK
  return wrong;
}

}  // namespace
}  // namespace qr::test

int main() {
  try {
    const bool good = qr::test::check_all() == 0;
    std::printf("codes_test: %s\n", good ? "passed" : "FAILED");
    return good ? 0 : 1;
  } catch (const qr::Error& error) {
    std::fprintf(stderr, "codes_test: %s\n", error.what());
    return 1;
  }
}
