// Settings: through Info and through the environment, read back, refused when wrong, and refused when ranks
// differ.
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

std::string text_of(int number) { return std::to_string(number); }

/// The communicator is in order: a sum of ones is the number of ranks.
testing::AssertionResult works(const Comm& comm) {
  std::vector<float> ones(100, 1), recv(100);
  const int code = sum(ones.data(), recv.data(), 100, comm.get());
  if (code != MPI_SUCCESS) return succeeded(code);
  if (recv == std::vector<float>(100, static_cast<float>(comm.size()))) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "sum of ones is " << recv.front();
}

TEST(CommSettings, DefaultsAreThoseOfTheManual) {
  const Comm comm;
  const std::map<std::string, std::string> wanted = {
      {"codec", "raw"},         {"auto_codec", "int8"}, {"algorithm", "auto"},       {"min_bytes", "0"},
      {"timeout_ms", "300000"}, {"check", "1"},         {"arena_bytes", "16777216"}, {"log", "1"}};
  for (const auto& [key, value] : wanted) EXPECT_EQ(setting_of(comm.get(), key.c_str()), value) << key;
  EXPECT_NE(setting_of(comm.get(), "shm_dir"), "(absent)");
}

TEST(CommSettings, WhatIsSetIsWhatIsReadBack) {
  const Comm comm;
  const std::map<std::string, std::string> wanted = {
      {"codec", "int4"},       {"auto_codec", "int6"}, {"algorithm", "two_shot"},  {"min_bytes", "4096"},
      {"timeout_ms", "12345"}, {"check", "0"},         {"arena_bytes", "4194304"}, {"log", "0"},
      {"shm_dir", "/dev/shm"}};
  for (const auto& [key, value] : wanted) {
    EXPECT_TRUE(succeeded(set_settings(comm.get(), {{key.c_str(), value}}))) << key;
  }
  for (const auto& [key, value] : wanted) EXPECT_EQ(setting_of(comm.get(), key.c_str()), value) << key;
  EXPECT_TRUE(works(comm));
}

TEST(CommSettings, EveryCodecCanBeNamed) {
  const Comm comm;
  for (const Codec& codec : codecs()) {
    EXPECT_TRUE(succeeded(set_settings(comm.get(), {{"codec", codec.name}})));
    EXPECT_EQ(setting_of(comm.get(), "codec"), codec.name);
    if (comm.size() > 1) {
      EXPECT_EQ(plan_of(comm.get(), 1000, MPI_FLOAT).codec, codec.name);
    }
  }
}

/// Each is refused on all ranks, says what is wrong, and changes nothing, not even the good keys beside it.
TEST(CommSettings, WrongOnesAreRefusedWhole) {
  const Comm comm;
  use(comm.get(), {{"codec", "int6"}, {"min_bytes", "100"}});
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"codec", "itn4"},      {"codec", "INT4"},
      {"auto_codec", "auto"}, {"auto_codec", "raw"},
      {"algorithm", "ring"},  {"min_bytes", "-1"},
      {"min_bytes", "12kB"},  {"min_bytes", "1e3"},
      {"timeout_ms", "0"},    {"timeout_ms", "-5"},
      {"timeout_ms", "soon"}, {"min_bytes", "99999999999999999999"},
      {"check", "2"},         {"check", "perhaps"},
      {"arena_bytes", "0"},   {"arena_bytes", "67108865"},
      {"log", "9"},           {"shm_dir", "not/absolute"},
      {"codecc", "int4"},     {"colour", "red"}};
  for (const auto& [key, value] : wrong) {
    SCOPED_TRACE(key + "=" + value);
    EXPECT_TRUE(failed_with(set_settings(comm.get(), {{"min_bytes", "200"}, {key.c_str(), value}}),
                            QR_MPI_ERR_CONFIG));
    EXPECT_TRUE(last_error_says(key));
    if (key != "codecc" && key != "colour") {
      EXPECT_TRUE(last_error_says(value));
    }
    EXPECT_EQ(setting_of(comm.get(), "codec"), "int6");
    EXPECT_EQ(setting_of(comm.get(), "min_bytes"), "100");
  }
  EXPECT_TRUE(works(comm));
}

TEST(CommSettings, AWrongCodecIsAnsweredWithTheRightOnes) {
  const Comm comm;
  EXPECT_TRUE(failed_with(set_settings(comm.get(), {{"codec", "itn4"}}), QR_MPI_ERR_CONFIG));
  for (const char* name : {"raw", "int4", "auto"}) EXPECT_TRUE(last_error_says(name));
}

TEST(CommSettings, DifferentValuesOnRanksAreAnErrorOnAllAndChangeNothing) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const bool odd_one = comm.rank() == comm.size() - 1;
  const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> cases = {
      {"codec", {"int4", "int6"}}, {"algorithm", {"exchange", "two_shot"}},
      {"min_bytes", {"10", "20"}}, {"timeout_ms", {"5000", "6000"}},
      {"check", {"0", "1"}},       {"arena_bytes", {"4194304", "8388608"}}};
  for (const auto& [key, values] : cases) {
    SCOPED_TRACE(key);
    const std::string before = setting_of(comm.get(), key.c_str());
    const std::string mine = odd_one ? values.second : values.first;
    EXPECT_TRUE(failed_with(set_settings(comm.get(), {{key.c_str(), mine}}), QR_MPI_ERR_CONFIG));
    EXPECT_TRUE(last_error_says(key));
    EXPECT_EQ(setting_of(comm.get(), key.c_str()), before);
    EXPECT_TRUE(works(comm));
  }
}

TEST(CommSettings, AWrongValueOnOneRankIsAnErrorOnAll) {
  const Comm comm;
  const bool odd_one = comm.rank() == comm.size() - 1;
  EXPECT_TRUE(
      failed_with(set_settings(comm.get(), {{"codec", odd_one ? "itn4" : "int4"}}), QR_MPI_ERR_CONFIG));
  EXPECT_EQ(setting_of(comm.get(), "codec"), "raw");
  EXPECT_TRUE(works(comm));
}

TEST(CommSettings, TheLogMayDiffer) {
  const Comm comm;
  EXPECT_TRUE(succeeded(set_settings(comm.get(), {{"log", comm.rank() == 0 ? "1" : "0"}})));
  EXPECT_EQ(setting_of(comm.get(), "log"), comm.rank() == 0 ? "1" : "0");
  EXPECT_TRUE(works(comm));
}

TEST(CommSettings, AnEmptyInfoAndNoInfoChangeNothing) {
  const Comm comm;
  use(comm.get(), {{"codec", "int8"}});
  EXPECT_TRUE(succeeded(set_settings(comm.get(), {})));
  EXPECT_TRUE(succeeded(qr_mpi_comm_set_info(comm.get(), MPI_INFO_NULL)));
  EXPECT_EQ(setting_of(comm.get(), "codec"), "int8");
}

TEST(CommSettings, BelongToOneCommunicatorAndAreNotInherited) {
  const Comm first, second;
  use(first.get(), {{"codec", "int4"}, {"algorithm", "exchange"}});
  use(second.get(), {{"codec", "int8"}});
  const Comm copy = Comm::duplicate(first.get());
  EXPECT_EQ(setting_of(first.get(), "codec"), "int4");
  EXPECT_EQ(setting_of(second.get(), "codec"), "int8");
  EXPECT_EQ(setting_of(copy.get(), "codec"), "raw");
  EXPECT_EQ(setting_of(copy.get(), "algorithm"), "auto");
  for (const Comm* comm : {&first, &second, &copy}) EXPECT_TRUE(works(*comm));
}

TEST(CommSettings, ShortMessagesStayExactBelowMinBytes) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank gets its input back";
  use(comm.get(), {{"codec", "int3"}, {"min_bytes", "4096"}});
  EXPECT_EQ(plan_of(comm.get(), 1023, MPI_FLOAT).codec, "raw");
  EXPECT_EQ(plan_of(comm.get(), 1024, MPI_FLOAT).codec, "int3");
  EXPECT_EQ(plan_of(comm.get(), 2047, qr_mpi_type_bfloat16()).codec, "raw");
  EXPECT_EQ(plan_of(comm.get(), 2048, qr_mpi_type_bfloat16()).codec, "int3");
  std::vector<float> send(1023), recv(1023), wanted(1023);
  for (std::size_t index = 0; index < send.size(); ++index) send[index] = static_cast<float>(index);
  for (std::size_t index = 0; index < send.size(); ++index)
    wanted[index] = static_cast<float>(comm.size()) * send[index];
  EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), 1023, comm.get())));
  EXPECT_EQ(recv, wanted);
}

TEST(CommSettings, AForcedAlgorithmIsTaken) {
  const Comm comm;
  if (comm.size() == 1) GTEST_SKIP() << "one rank needs none";
  for (const char* algorithm : {"exchange", "two_shot", "mpi"}) {
    use(comm.get(), {{"algorithm", algorithm}});
    for (const int count : {1, 5000, 3'000'000}) {
      EXPECT_EQ(plan_of(comm.get(), count, MPI_FLOAT).algorithm, algorithm) << count;
    }
    EXPECT_TRUE(works(comm)) << algorithm;
  }
}

/// auto may take raw or auto_codec, nothing else; for types that no codec covers it is raw.
TEST(CommSettings, CodecAutoChoosesBySizeFromWhatItMay) {
  const Comm comm;
  use(comm.get(), {{"codec", "auto"}, {"auto_codec", "int6"}});
  EXPECT_EQ(setting_of(comm.get(), "codec"), "auto");
  for (const MPI_Count count : {1, 100, 10'000, 1'000'000, 100'000'000}) {
    const std::string codec = plan_of(comm.get(), count, MPI_FLOAT).codec;
    EXPECT_TRUE(codec == "raw" || codec == "int6") << codec << " for " << count;
    EXPECT_EQ(plan_of(comm.get(), count, MPI_DOUBLE).codec, "raw");
  }
  EXPECT_TRUE(works(comm));
}

TEST(CommSettings, TheArenaMayBeSmallOrLarge) {
  const Comm comm;
  std::vector<float> ones(100'000, 1), recv(100'000);
  for (const int kib : {64, 1024, 16 * 1024}) {
    const int code = set_settings(comm.get(), {{"arena_bytes", text_of(kib * 1024)}, {"codec", "raw"}});
    // Too small for this many ranks is an error that says so, on all ranks; anything else must work.
    EXPECT_EQ(on_all_ranks(code == MPI_SUCCESS, comm.get()), code == MPI_SUCCESS);
    if (code != MPI_SUCCESS) {
      EXPECT_TRUE(failed_with(code, QR_MPI_ERR_CONFIG)) << kib;
    }
    EXPECT_TRUE(succeeded(sum(ones.data(), recv.data(), 100'000, comm.get())));
    EXPECT_EQ(recv, std::vector<float>(100'000, static_cast<float>(comm.size()))) << kib << " KiB";
  }
}

}  // namespace
}  // namespace qr_test
