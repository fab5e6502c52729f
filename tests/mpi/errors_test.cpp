// Errors of the library are MPI errors: classes, codes, strings, error handlers, and a sentence that helps.
#include <gtest/gtest.h>
#include <mpi.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/codecs.hpp"
#include "support/mpi_check.hpp"

namespace qr_test {
namespace {

int handler_calls = 0;
int handler_code = 0;
MPI_Comm handler_comm = MPI_COMM_NULL;
std::string handler_sentence;

void count_call(MPI_Comm* comm, int* code, ...) {
  ++handler_calls;
  handler_code = *code;
  handler_comm = *comm;
  handler_sentence = qr_mpi_last_error();
}

/// A call that is wrong in the same way on all ranks.
int call_with_negative_count(MPI_Comm comm) {
  float send = 1, recv = 2;
  return qr_mpi_allreduce(&send, &recv, -1, MPI_FLOAT, MPI_SUM, comm);
}

TEST(Errors, EachConstantHasAClassOfItsOwn) {
  std::set<int> classes;
  for (int error = QR_MPI_ERR_ARGUMENT; error <= QR_MPI_ERR_INTERNAL; ++error) {
    const int error_class = qr_mpi_error_class(error);
    EXPECT_NE(error_class, MPI_ERR_UNKNOWN) << error;
    EXPECT_GT(error_class, MPI_ERR_LASTCODE) << error << " must not be one of MPI's own classes";
    EXPECT_EQ(error_class, qr_mpi_error_class(error)) << "asked twice";
    classes.insert(error_class);
  }
  EXPECT_EQ(classes.size(), static_cast<std::size_t>(QR_MPI_ERR_INTERNAL));
  for (const int other : {0, -1, QR_MPI_ERR_INTERNAL + 1, 1000}) {
    EXPECT_EQ(qr_mpi_error_class(other), MPI_ERR_UNKNOWN) << other;
  }
}

TEST(Errors, ReturnedCodesHaveClassAndString) {
  const Comm comm;
  const int code = call_with_negative_count(comm.get());
  EXPECT_TRUE(failed_with(code, QR_MPI_ERR_ARGUMENT));
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  ASSERT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_NE(std::string(text).find("qr_mpi"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("argument"), std::string::npos) << text;
}

TEST(Errors, TheSentenceSaysWhatWasWrongAndOnWhichRank) {
  const Comm comm;
  EXPECT_TRUE(failed_with(call_with_negative_count(comm.get()), QR_MPI_ERR_ARGUMENT));
  EXPECT_TRUE(last_error_says("count"));
  EXPECT_TRUE(last_error_says("-1"));
  EXPECT_TRUE(last_error_says("rank " + std::to_string(comm.rank())));
}

TEST(Errors, TheSentenceIsNeverNull) { ASSERT_NE(qr_mpi_last_error(), nullptr); }

TEST(Errors, CallTheHandlerOfTheCommunicatorOnce) {
  const Comm comm;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  must(MPI_Comm_create_errhandler(count_call, &handler));
  must(MPI_Comm_set_errhandler(comm.get(), handler));
  handler_calls = 0;
  const int code = call_with_negative_count(comm.get());
  EXPECT_EQ(handler_calls, 1);
  EXPECT_EQ(handler_code, code);
  EXPECT_EQ(handler_comm, comm.get());
  EXPECT_TRUE(failed_with(code, QR_MPI_ERR_ARGUMENT));

  // With MPI_ERRORS_RETURN the same call calls nobody.
  must(MPI_Comm_set_errhandler(comm.get(), MPI_ERRORS_RETURN));
  EXPECT_TRUE(failed_with(call_with_negative_count(comm.get()), QR_MPI_ERR_ARGUMENT));
  EXPECT_EQ(handler_calls, 1);
  must(MPI_Errhandler_free(&handler));
}

/// What MPI has against a call, and not what was wrong with the one before.
TEST(Errors, TheHandlerFindsWhatMpiSaid) {
  const Comm comm;
  EXPECT_TRUE(failed_with(call_with_negative_count(comm.get()), QR_MPI_ERR_ARGUMENT));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  must(MPI_Comm_create_errhandler(count_call, &handler));
  must(MPI_Comm_set_errhandler(comm.get(), handler));
  handler_calls = 0;
  float send = 1, recv = 2;
  EXPECT_NE(qr_mpi_allreduce(&send, &recv, 1, MPI_FLOAT, MPI_BAND, comm.get()), MPI_SUCCESS);
  EXPECT_GE(handler_calls, 1);
  EXPECT_NE(handler_sentence.find("MPI_Allreduce"), std::string::npos) << handler_sentence;
  EXPECT_TRUE(last_error_says("MPI_Allreduce"));
  must(MPI_Errhandler_free(&handler));
}

TEST(Errors, SettingsErrorsCallTheHandlerToo) {
  const Comm comm;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  must(MPI_Comm_create_errhandler(count_call, &handler));
  must(MPI_Comm_set_errhandler(comm.get(), handler));
  handler_calls = 0;
  EXPECT_TRUE(failed_with(set_settings(comm.get(), {{"codec", "int5000"}}), QR_MPI_ERR_CONFIG));
  EXPECT_EQ(handler_calls, 1);
  must(MPI_Errhandler_free(&handler));
}

/// What MPI refuses, the library refuses, with an error and not with a crash.
TEST(Errors, InvalidArgumentsAreRefused) {
  const Comm comm;
  float send[4] = {1, 2, 3, 4}, recv[4] = {};
  must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));  // that of a call without a communicator
  must(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  EXPECT_NE(qr_mpi_allreduce(send, recv, 4, MPI_DATATYPE_NULL, MPI_SUM, comm.get()), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_allreduce(send, recv, 4, MPI_FLOAT, MPI_OP_NULL, comm.get()), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_allreduce(send, recv, 4, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_allreduce_c(send, recv, -4, MPI_FLOAT, MPI_SUM, comm.get()), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_allreduce(send, nullptr, 4, MPI_FLOAT, MPI_SUM, comm.get()), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_allreduce(nullptr, recv, 4, MPI_FLOAT, MPI_SUM, comm.get()), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL), MPI_SUCCESS);
  EXPECT_NE(qr_mpi_comm_get_info(comm.get(), nullptr), MPI_SUCCESS);
  must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  must(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));

  // And the communicator works on.
  EXPECT_TRUE(succeeded(sum(send, recv, 4, comm.get())));
  for (int index = 0; index < 4; ++index)
    EXPECT_EQ(recv[index], static_cast<float>((index + 1) * comm.size()));
}

/// That there is nothing to reduce makes no wrong argument right: what MPI refuses of it, it refuses here.
TEST(Errors, WithoutElementsArgumentsAreCheckedToo) {
  const Comm comm;
  float value = 1;
  const auto error_class = [&](MPI_Datatype datatype, MPI_Op op) {
    int found = MPI_SUCCESS;
    must(MPI_Error_class(qr_mpi_allreduce(&value, &value, 0, datatype, op, comm.get()), &found));
    return found;
  };
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(2, MPI_INT, &pair));
  EXPECT_NE(error_class(pair, MPI_SUM), MPI_SUCCESS) << "not committed, and not of a type that has a sum";
  must(MPI_Type_commit(&pair));
  EXPECT_EQ(error_class(pair, MPI_SUM), MPI_ERR_OP);
  must(MPI_Type_free(&pair));
  EXPECT_EQ(error_class(MPI_FLOAT, MPI_BAND), MPI_ERR_OP);
  EXPECT_EQ(error_class(qr_mpi_type_bfloat16(), MPI_MAXLOC), MPI_ERR_OP);
  EXPECT_EQ(error_class(MPI_DATATYPE_NULL, MPI_SUM), qr_mpi_error_class(QR_MPI_ERR_ARGUMENT));
  EXPECT_EQ(error_class(MPI_FLOAT, MPI_OP_NULL), qr_mpi_error_class(QR_MPI_ERR_ARGUMENT));
  must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));  // that of a call without a communicator
  must(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  EXPECT_NE(qr_mpi_allreduce(&value, &value, 0, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL), MPI_SUCCESS);
  must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  must(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  for (const auto& [datatype, op] :
       {std::pair(MPI_INT, MPI_BAND), {MPI_FLOAT, MPI_PROD}, {MPI_C_BOOL, MPI_LOR}})
    EXPECT_EQ(error_class(datatype, op), MPI_SUCCESS);
}

TEST(Errors, AnOpThatATypeDoesNotHaveIsRefused) {
  const Comm comm;
  Float16 send[2] = {}, recv[2] = {};
  for (MPI_Op op : {MPI_BAND, MPI_LXOR, MPI_MAXLOC}) {
    EXPECT_NE(qr_mpi_allreduce(send, recv, 2, qr_mpi_type_float16(), op, comm.get()), MPI_SUCCESS);
  }
}

TEST(Errors, CodecQueriesKnowTheirLimits) {
  ASSERT_GE(qr_mpi_codec_count(), 1);
  EXPECT_STREQ(qr_mpi_codec_name(0), "raw");
  EXPECT_EQ(qr_mpi_codec_error(0), 0);
  EXPECT_EQ(qr_mpi_codec_bits_per_value(0), 16);
  for (const int outside : {-1, qr_mpi_codec_count(), 1000}) {
    EXPECT_EQ(qr_mpi_codec_name(outside), nullptr) << outside;
    EXPECT_EQ(qr_mpi_codec_bits_per_value(outside), 0) << outside;
  }
  for (int index = 1; index < qr_mpi_codec_count(); ++index) {
    EXPECT_GT(qr_mpi_codec_error(index), 0) << qr_mpi_codec_name(index);
    EXPECT_LT(qr_mpi_codec_error(index), 1) << qr_mpi_codec_name(index);
    EXPECT_GT(qr_mpi_codec_bits_per_value(index), 1) << qr_mpi_codec_name(index);
    EXPECT_LT(qr_mpi_codec_bits_per_value(index), 16) << qr_mpi_codec_name(index);
  }
  EXPECT_STREQ(qr_mpi_version(), QR_MPI_VERSION);
}

TEST(Errors, The16BitTypesAreTypesOfMpi) {
  for (MPI_Datatype type : {qr_mpi_type_float16(), qr_mpi_type_bfloat16()}) {
    int bytes = 0;
    must(MPI_Type_size(type, &bytes));
    EXPECT_EQ(bytes, 2);
    MPI_Aint lower_bound = -1, extent = 0;
    must(MPI_Type_get_extent(type, &lower_bound, &extent));
    EXPECT_EQ(lower_bound, 0);
    EXPECT_EQ(extent, 2);
    std::vector<std::uint16_t> values = {1, 0x3C00, static_cast<std::uint16_t>(world_rank())};
    must(MPI_Bcast(values.data(), 3, type, 0, MPI_COMM_WORLD));  // committed
    EXPECT_EQ(values[2], 0);
  }
  EXPECT_NE(qr_mpi_type_float16(), qr_mpi_type_bfloat16());
}

}  // namespace
}  // namespace qr_test
