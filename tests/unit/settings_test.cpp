// Settings: every row of the table, what it takes, what it refuses, and what it says then.
#include "lib/settings.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernels/packet_ops.hpp"
#include "lib/status.hpp"

namespace qr::test {
namespace {

/// The sentence of the refusal; empty if the value was taken.
std::string refusal(const char* name, const std::string& value) {
  Settings settings;
  try {
    apply_setting(settings, name, value, "info key");
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kConfig);
    return error.what();
  }
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not contain \"" << part << "\"";
}

std::string printed(const Settings& settings, const char* name) {
  return find_setting(name)->print(settings);
}

TEST(Settings, TheTableIsComplete) {
  std::set<std::string> names;
  for (const SettingInfo& row : setting_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_setting(row.name), &row);
    EXPECT_STRNE(row.values, "");
    EXPECT_EQ(std::string(row.description).back(), '.') << row.name;
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"codec", "auto_codec", "algorithm", "min_bytes", "timeout_ms", "check",
                                   "arena_bytes", "log", "shm_dir", "device_share", "gpu_aware", "tuning"}));
  EXPECT_EQ(find_setting("codecs"), nullptr);
}

TEST(Settings, Defaults) {
  const std::map<std::string, std::string> defaults = {
      {"codec", "raw"},         {"auto_codec", "int8"}, {"algorithm", "auto"},       {"min_bytes", "0"},
      {"timeout_ms", "300000"}, {"check", "1"},         {"arena_bytes", "16777216"}, {"log", "1"},
      {"shm_dir", "auto"},      {"device_share", "1"},  {"gpu_aware", "auto"},       {"tuning", "auto"},
  };
  for (const SettingInfo& row : setting_table())
    EXPECT_EQ(row.print(Settings{}), defaults.at(row.name)) << row.name;
}

/// Formatters like to run such a list together.
TEST(Settings, ThePublicHeaderListsEachOnALineOfItsOwn) {
  std::ifstream file(QR_PUBLIC_HEADER);
  std::ostringstream header;
  header << file.rdbuf();
  for (const SettingInfo& row : setting_table()) {
    EXPECT_TRUE(contains(header.str(), std::string("\n *    ") + row.name + " "))
        << "in " << QR_PUBLIC_HEADER;
    EXPECT_EQ(header.str().find("\n * " + std::string(row.name) + " "), std::string::npos) << row.name;
  }
}

TEST(Settings, WhatIsPrintedCanBeRead) {
  for (const SettingInfo& row : setting_table()) EXPECT_EQ(refusal(row.name, row.print(Settings{})), "");
}

TEST(Settings, LocalAndSetUpRows) {
  for (const SettingInfo& row : setting_table()) {
    const std::string name = row.name;
    EXPECT_EQ(row.local, name == "log");
    EXPECT_EQ(row.needs_setup,
              name == "arena_bytes" || name == "shm_dir" || name == "timeout_ms" || name == "device_share")
        << name;
  }
}

TEST(Settings, GoodValues) {
  const std::pair<const char*, std::vector<const char*>> good[] = {
      {"codec", {"raw", "auto"}},
      {"algorithm", {"auto", "exchange", "two_shot", "mpi"}},
      {"min_bytes", {"0", "1", "1048576", "4611686018427387904"}},
      {"timeout_ms", {"1", "300", "2147483647"}},
      {"check", {"0", "1"}},
      {"arena_bytes", {"65536", "67108864"}},
      {"log", {"0", "1", "2", "3"}},
      {"device_share", {"1", "64"}},
      {"gpu_aware", {"auto", "0", "1"}},
      {"shm_dir", {"auto", "/tmp", "/dev/shm/some where"}},
      {"tuning", {"auto", "node.txt", "/etc/some where/node.txt"}},
  };
  for (const auto& [name, values] : good) {
    for (const char* value : values) {
      Settings settings;
      apply_setting(settings, name, value, "test");
      EXPECT_EQ(printed(settings, name), value) << name;
    }
  }
  for (int codec = 0; codec < codec_count(); ++codec) {
    EXPECT_EQ(refusal("codec", codec_info(codec).name), "");
    EXPECT_EQ(refusal("auto_codec", codec_info(codec).name).empty(), !codec_info(codec).exact);
  }
}

TEST(Settings, BadValues) {
  const std::pair<const char*, std::vector<std::string>> bad[] = {
      {"codec", {"", "RAW", "raw ", " raw", "int", "none", std::string(5000, 'a')}},
      {"auto_codec", {"", "raw", "auto"}},
      {"algorithm", {"", "ring", "two-shot", "0"}},
      {"min_bytes",
       {"", "-1", "-0", "+1", "1.5", "1e6", "0x10", "1 ", " 1", "1KiB", "4611686018427387905",
        "99999999999999999999"}},
      {"timeout_ms", {"", "0", "-1", "2147483648", "5s"}},
      {"check", {"", "2", "true", "yes"}},
      {"arena_bytes", {"", "0", "65535", "67108865", "8M"}},
      {"log", {"", "4", "-1", "debug"}},
      {"device_share", {"", "0", "65", "all"}},
      {"gpu_aware", {"", "2", "yes", "Auto"}},
      {"shm_dir", {"tmp", "./tmp", "/" + std::string(200, 'x')}},
      {"tuning", {std::string(201, 'x')}},
  };
  for (const auto& [name, values] : bad) {
    for (const std::string& value : values) {
      const std::string text = refusal(name, value);
      EXPECT_TRUE(contains(text, "info key: ")) << name;
      EXPECT_TRUE(contains(text, name));
      EXPECT_TRUE(contains(text, "\"" + value + "\""));
      EXPECT_TRUE(contains(text, "allowed: "));
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
}

TEST(Settings, AFailureChangesNothing) {
  Settings settings;
  apply_setting(settings, "min_bytes", "77", "test");
  EXPECT_THROW(apply_setting(settings, "min_bytes", "78x", "test"), Error);
  EXPECT_THROW(apply_setting(settings, "shm_dir", "here", "test"), Error);
  EXPECT_EQ(settings.min_bytes, 77);
  EXPECT_EQ(settings.shm_dir, "");
}

TEST(Settings, RefusalsListTheCodecsAndSuggestOne) {
  const std::string text = refusal("codec", "itn8");
  for (int codec = 0; codec < codec_count(); ++codec) EXPECT_TRUE(contains(text, codec_info(codec).name));
  EXPECT_TRUE(contains(text, "auto"));
  EXPECT_TRUE(contains(text, "did you mean int8?"));
  EXPECT_TRUE(contains(refusal("codec", "INT8"), "did you mean int8?"));
  EXPECT_TRUE(contains(refusal("algorithm", "two-shot"), "did you mean two_shot?"));
  EXPECT_EQ(refusal("codec", "zstd").find("did you mean"), std::string::npos);
}

TEST(Settings, UnknownNames) {
  EXPECT_TRUE(contains(refusal("codek", "raw"), "did you mean codec?"));
  EXPECT_TRUE(contains(refusal("QR_MPI_CODEC", "raw"), "there is no setting"));
  EXPECT_TRUE(contains(refusal("", "raw"), "arena_bytes"));
}

TEST(Environment, VariablesAreReadByName) {
  const std::map<std::string, const char*> environment = {{"QR_MPI_CODEC", "auto"},
                                                          {"QR_MPI_MIN_BYTES", "123"},
                                                          {"QR_MPI_SHM_DIR", ""},
                                                          {"QR_MPI_LOG", ""},
                                                          {"CODEC", "raw"}};
  const Settings settings = settings_from_environment([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  });
  EXPECT_EQ(settings.codec, "auto");
  EXPECT_EQ(settings.min_bytes, 123);
  EXPECT_EQ(settings.log, 1);
  EXPECT_EQ(settings.algorithm, AlgorithmChoice::kAuto);
}

TEST(Environment, ErrorsNameTheVariable) {
  try {
    (void)settings_from_environment(
        [](const char* name) { return std::string(name) == "QR_MPI_ARENA_BYTES" ? "1" : nullptr; });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::kConfig);
    EXPECT_TRUE(contains(error.what(), "environment variable QR_MPI_ARENA_BYTES: "));
    EXPECT_TRUE(contains(error.what(), "from 65536 to 67108864"));
  }
}

TEST(Environment, UnknownVariablesAreFound) {
  const char* const environment[] = {
      "PATH=/bin", "QR_MPI_CODEC=raw", "QR_MPI_CODEK=int4", "QR_MPI_TEST_FAULT=x:1", "QR_MPI_SHM_DIR=/tmp",
      "QR_MPI_=1", "QR_MPI_CODECS",    "QR_MPIX=1",         "QR_MPI_codec=raw",      nullptr};
  EXPECT_EQ(unknown_variables(environment),
            (std::vector<std::string>{"QR_MPI_CODEK", "QR_MPI_", "QR_MPI_CODECS", "QR_MPI_codec"}));
  EXPECT_TRUE(unknown_variables(nullptr).empty());
}

}  // namespace
}  // namespace qr::test
