// Tuning tables: what the parser reads and refuses, that text and values agree, what is built in, and that
// all ranks end up with rank 0's.
#include "lib/tuning.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <type_traits>

#include "kernels/packet_ops.hpp"
#include "lib/status.hpp"
#include "support/thread_bootstrap.hpp"

namespace qr::test {
namespace {

static_assert(std::is_trivially_copyable_v<Tuning>);

constexpr const char* kDevices[] = {"NVIDIA H200", "AMD Instinct MI300X gfx942:sramecc+:xnack-", "gfx950",
                                    "toaster"};

/// Text of a good table, with one piece of it replaced.
std::string table_with(const std::string& what, const std::string& by) {
  std::string text = format_tuning(built_in_tuning("NVIDIA H200"));
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_tuning(text, "node.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kConfig);
    return error.what();
  }
  return "(accepted)";
}

void expect_refusal(const std::string& text, const std::string& says) {
  const std::string refused = refusal(text);
  EXPECT_NE(refused.find(says), std::string::npos) << refused;
  EXPECT_NE(refused.find("tuning table node.txt"), std::string::npos) << refused;
  EXPECT_NE(refused.find("qr_mpi_tune"), std::string::npos) << refused;
}

/// A file in the test's temporary folder, removed with the object.
class File {
 public:
  explicit File(const std::string& text) : path_(testing::TempDir() + "qr_tuning_test.txt") {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool same(const Tuning& a, const Tuning& b) { return format_tuning(a) == format_tuning(b); }

TEST(Tuning, TextsRoundTrip) {
  for (const char* device : kDevices) {
    Tuning tuning = built_in_tuning(device);
    tuning.exchange.raw_us = 1.0 / 3;
    tuning.codecs[1].decode_32 = 1e-3;
    const std::string text = format_tuning(tuning);
    const Tuning read = parse_tuning(text, "text");
    EXPECT_EQ(format_tuning(read), text);
    EXPECT_EQ(read.exchange.raw_us, tuning.exchange.raw_us);
    EXPECT_EQ(read.codecs[1].decode_32, tuning.codecs[1].decode_32);
    EXPECT_EQ(read.label(), tuning.label());
    EXPECT_EQ(read.flagged_blocks, tuning.flagged_blocks);
  }
}

TEST(Tuning, BlanksCommentsAndOrderDoNotMatter) {
  const Tuning plain = built_in_tuning("NVIDIA H200");
  EXPECT_TRUE(same(parse_tuning(table_with("name h200", "# a comment\n\n \t name \t h200 # here too\r"), "x"),
                   plain));
  const std::string text = table_with("name h200\n", "") + "name h200";  // and no newline at the end
  EXPECT_TRUE(same(parse_tuning(text, "x"), plain));
}

TEST(Tuning, ErrorsNameTheLineAndWhatToDo) {
  expect_refusal("", "it lacks the line \"qr_mpi_tuning 1\"");
  expect_refusal("name h200\n", "line 1: a table of this version begins with \"qr_mpi_tuning 1\"");
  expect_refusal(table_with("qr_mpi_tuning 1", "\nqr_mpi_tuning 2"), "line 2: a table of this version");
  expect_refusal(table_with("name h200", "name h200 twice"),
                 "line 2: the key \"name\" takes 1 value, here are 2");
  expect_refusal(table_with("name h200", "name"), "line 2: the key \"name\" takes 1 value, here are 0");
  expect_refusal(table_with("name h200\n", ""), "it lacks the key \"name\"");
  expect_refusal(table_with("name h200", "name h200\nname h100"),
                 "line 3: the key \"name\" comes a second time");
  expect_refusal(table_with("name h200", "name " + std::string(64, 'x')), "more than 63 bytes");
  expect_refusal(table_with("link.gb_per_s", "link.speed"), "there is no key \"link.speed\"");
  expect_refusal(table_with("cache.mib 48", ""), "it lacks the key \"cache.mib\"");
  for (const char* wrong : {"fast", "-1", "0", "363GB", "nan", "inf", "1e300", "0x10"})
    expect_refusal(table_with("link.gb_per_s 363", std::string("link.gb_per_s ") + wrong),
                   "\"link.gb_per_s\" cannot be \"" + std::string(wrong) + "\"; allowed: a number from");
  expect_refusal(table_with("flagged.raw_us ", "flagged.raw_us -"), "allowed: a number from 0 to 1e+06");
  expect_refusal(table_with("flagged.blocks 65536", "flagged.blocks 1.5"), "is a whole number");
  expect_refusal(table_with("codec.int8", "codec.int9"), "this build has no block codec \"int9\"");
  expect_refusal(table_with("codec.int8", "codec.raw"), "this build has no block codec \"raw\"");
  expect_refusal(table_with("codec.other", "#"), "it lacks the key \"codec.other\"");
  expect_refusal(table_with("qr_mpi_tuning 1", "qr_mpi_tuning 1\ncodec.int8 1 2 3"), "takes 4 values");
}

TEST(Tuning, CodecsWithoutALineAreLikeOther) {
  std::string text = table_with("codec.int8", "#");
  text.replace(text.find("codec.other"), std::string::npos, "codec.other 1 2 3 4\n");
  const Tuning tuning = parse_tuning(text, "x");
  const CodecRates& rates = tuning.codecs[static_cast<std::size_t>(find_codec("int8"))];
  EXPECT_EQ(rates.encode_16, 1);
  EXPECT_EQ(rates.decode_32, 4);
  EXPECT_GT(tuning.codecs[static_cast<std::size_t>(find_codec("int4"))].encode_16, 1000);
}

TEST(Tuning, DevicesFindTheirTables) {
  EXPECT_EQ(built_in_tuning("NVIDIA H200").label(), "h200");
  EXPECT_EQ(built_in_tuning("NVIDIA H200 NVL").label(), "h200");
  EXPECT_EQ(built_in_tuning("AMD Instinct MI300X gfx942:sramecc+:xnack-").label(), "mi300x");
  EXPECT_EQ(built_in_tuning(" gfx950:sramecc+:xnack-").label(), "mi355x");
  EXPECT_EQ(built_in_tuning("").label(), "default");
}

TEST(Tuning, BuiltInTablesAreValid) {
  for (const char* device : kDevices) {
    const Tuning tuning = built_in_tuning(device);
    EXPECT_TRUE(same(parse_tuning(format_tuning(tuning), device), tuning));
    EXPECT_LE(tuning.flagged.raw_us, tuning.exchange.raw_us) << device;
    EXPECT_LE(tuning.exchange.raw_us, tuning.two_shot.raw_us) << device;
    EXPECT_LE(tuning.peer_gb_per_s, tuning.link_gb_per_s) << device;
    EXPECT_LE(tuning.link_gb_per_s, tuning.memory_gb_per_s) << device;
    EXPECT_LE(tuning.memory_gb_per_s, tuning.cache_gb_per_s) << device;
  }
}

TEST(Tuning, SharingADeviceSharesItsRates) {
  const Tuning whole = built_in_tuning("NVIDIA H200");
  EXPECT_TRUE(same(shared_tuning(whole, 1), whole));
  const Tuning half = shared_tuning(whole, 2);
  EXPECT_EQ(half.memory_gb_per_s, whole.memory_gb_per_s / 2);
  EXPECT_EQ(half.link_gb_per_s, whole.memory_gb_per_s / 4);
  EXPECT_EQ(half.codecs[1].encode_16, whole.codecs[1].encode_16 / 2);
  EXPECT_EQ(half.flagged.raw_us, whole.flagged.raw_us);
}

TEST(Tuning, AllRanksGetRankZerosFile) {
  Tuning tuning = built_in_tuning("NVIDIA H200");
  std::strcpy(tuning.name, "mine");
  const File file(format_tuning(tuning));
  run_ranks(3, [&](ThreadGroup& group, int rank) {
    ThreadBootstrap bootstrap(group, rank);
    const Tuning read = agree_on_tuning(bootstrap, rank == 0 ? file.path() : "/not/there");
    EXPECT_TRUE(same(read, tuning)) << rank;
  });
}

TEST(Tuning, AFileThatRankZeroCannotUseIsAnErrorOnAll) {
  const File file("qr_mpi_tuning 1\ncolour red\n");
  const auto expect = [](const std::string& path, const std::string& says) {
    run_ranks(3, [&](ThreadGroup& group, int rank) {
      ThreadBootstrap bootstrap(group, rank);
      try {
        (void)agree_on_tuning(bootstrap, path);
        ADD_FAILURE() << "rank " << rank << " took it";
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), Status::kConfig);
        EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find("rank 0: "), 0U) << error.what();
      }
    });
  };
  expect("/not/there", "/not/there: cannot be opened: No such file or directory");
  expect(testing::TempDir(), "is not a regular file");
  // Opening a pipe would wait for its other end.
  const std::string pipe = testing::TempDir() + "qr_mpi_tuning_pipe." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect(pipe, "is not a regular file");
  unlink(pipe.c_str());
  expect(file.path(), "line 2: there is no key \"colour\"");
}

}  // namespace
}  // namespace qr::test
