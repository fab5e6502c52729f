// The library under test as tests see it: thin helpers over the public API.
#include "codecs.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "mpi_check.hpp"

namespace qr_test {

namespace {

bool wanted(const std::string& name) {
  const char* text = std::getenv("QR_TEST_CODECS");
  if (text == nullptr || *text == '\0') return true;
  return ("," + std::string(text) + ",").find("," + name + ",") != std::string::npos;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

const std::vector<Codec>& codecs() {
  static const std::vector<Codec> list = [] {
    std::vector<Codec> found;
    for (int index = 0; index < qr_mpi_codec_count(); ++index) {
      if (wanted(qr_mpi_codec_name(index)))
        found.push_back({qr_mpi_codec_name(index), qr_mpi_codec_error(index)});
    }
    return found;
  }();
  return list;
}

std::vector<Codec> lossy_codecs() {
  std::vector<Codec> lossy = codecs();
  std::erase_if(lossy, [](const Codec& codec) { return codec.exact(); });
  return lossy;
}

bool own_road_expected() {
  const char* text = std::getenv("QR_TEST_ROAD");
  return text == nullptr || std::string(text) == "own";
}

int set_settings(MPI_Comm comm, Pairs settings) {
  MPI_Info info = MPI_INFO_NULL;
  must(MPI_Info_create(&info));
  for (const auto& [key, value] : settings) must(MPI_Info_set(info, key, value.c_str()));
  const int code = qr_mpi_comm_set_info(comm, info);
  must(MPI_Info_free(&info));
  return code;
}

void use(MPI_Comm comm, Pairs settings) { ASSERT_TRUE(succeeded(set_settings(comm, settings))); }

std::string setting_of(MPI_Comm comm, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  must(qr_mpi_comm_get_info(comm, &info));
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  must(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found));
  must(MPI_Info_free(&info));
  return found != 0 ? value : "(absent)";
}

Plan plan_of(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  const char *algorithm = "", *codec = "", *reason = "";
  must(qr_mpi_comm_plan(comm, count, datatype, op, &algorithm, &codec, &reason));
  return {algorithm, codec, reason};
}

testing::AssertionResult failed_with(int code, int error) {
  if (code == MPI_SUCCESS) return testing::AssertionFailure() << "the call succeeded";
  int error_class = MPI_SUCCESS;
  must(MPI_Error_class(code, &error_class));
  if (error_class == qr_mpi_error_class(error)) return testing::AssertionSuccess();
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  must(MPI_Error_string(code, text, &length));
  return testing::AssertionFailure() << "not the expected class, but: " << text << " (" << qr_mpi_last_error()
                                     << ")";
}

testing::AssertionResult succeeded(int code) {
  if (code == MPI_SUCCESS) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "code " << code << ": " << qr_mpi_last_error();
}

testing::AssertionResult last_error_says(const std::string& part) {
  const std::string text = qr_mpi_last_error();
  if (lower(text).find(lower(part)) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
}

ScopedEnv::ScopedEnv(const char* name, const char* value)
    : name_(name), was_set_(std::getenv(name) != nullptr) {
  if (was_set_) before_ = std::getenv(name);
  EXPECT_EQ(setenv(name, value, 1), 0);
}

ScopedEnv::~ScopedEnv() {
  EXPECT_EQ(was_set_ ? setenv(name_.c_str(), before_.c_str(), 1) : unsetenv(name_.c_str()), 0);
}

}  // namespace qr_test
