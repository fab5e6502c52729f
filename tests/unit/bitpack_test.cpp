// bitpack.hpp: every width packs and unpacks, by the bit string that defines it, whatever the width of the
// word.
#include "kernels/bitpack.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>

namespace qr {
namespace {

template <int kBits, class Word>
void check_width() {
  using Ops = UnsignedWordOps<Word>;
  constexpr int kColumns = sizeof(Word);
  std::mt19937 generator(kBits);
  for (int round = 0; round < 200; ++round) {
    std::uint8_t codes[8][kColumns];
    for (auto& row : codes) {
      for (auto& code : row) code = static_cast<std::uint8_t>(generator() & ((1U << kBits) - 1));
    }
    Word rows[8];
    Word packed[kBits];
    Word back[8];
    std::memcpy(rows, codes, sizeof rows);
    pack<kBits, Ops>(rows, packed);
    unpack<kBits, Ops>(packed, back);
    EXPECT_EQ(0, std::memcmp(rows, back, sizeof rows)) << kBits << " bits in words of " << kColumns;

    std::uint8_t bytes[kBits][kColumns];
    std::memcpy(bytes, packed, sizeof bytes);
    for (int column = 0; column < kColumns; ++column) {
      for (int bit = 0; bit < 8 * kBits; ++bit) {
        const int wanted = codes[bit / kBits][column] >> (bit % kBits) & 1;
        ASSERT_EQ(wanted, bytes[bit / 8][column] >> (bit % 8) & 1) << kBits << " bits, bit " << bit;
      }
    }
  }
}

template <int kBits>
void check_all_words() {
  check_width<kBits, std::uint8_t>();
  check_width<kBits, std::uint16_t>();
  check_width<kBits, std::uint32_t>();
  check_width<kBits, std::uint64_t>();
}

TEST(Bitpack, PacksTheBitStringOfEachColumn) {
  check_all_words<1>();
  check_all_words<2>();
  check_all_words<3>();
  check_all_words<4>();
  check_all_words<5>();
  check_all_words<6>();
  check_all_words<7>();
  check_all_words<8>();
}

TEST(Bitpack, WorksInConstantExpressions) {
  constexpr bool kSame = [] {
    const std::uint32_t rows[8] = {1, 2, 3, 4, 5, 6, 7, 0};
    std::uint32_t packed[3] = {};
    std::uint32_t back[8] = {};
    pack<3, UnsignedWordOps<std::uint32_t>>(rows, packed);
    unpack<3, UnsignedWordOps<std::uint32_t>>(packed, back);
    for (int row = 0; row < 8; ++row) {
      if (rows[row] != back[row]) return false;
    }
    return true;
  }();
  EXPECT_TRUE(kSame);
}

}  // namespace
}  // namespace qr
