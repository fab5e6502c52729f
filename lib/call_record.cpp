// Hash and comparison of call records.
#include "lib/call_record.hpp"

#include "kernels/packet_ops.hpp"

namespace qr {

namespace {

/// The finalizer of MurmurHash3 (A. Appleby, public domain): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

CallRecord with_check(CallRecord record) {
  const auto kinds = static_cast<std::uint64_t>(static_cast<std::uint32_t>(record.type)) << 32 |
                     static_cast<std::uint64_t>(record.op & 0xff) << 24 |
                     static_cast<std::uint64_t>(record.codec & 0xffff) << 8 |
                     static_cast<std::uint64_t>(record.algorithm & 0xff);
  const auto hash = static_cast<std::uint32_t>(mix(mix(static_cast<std::uint64_t>(record.count)) + kinds));
  record.check = hash == 0 ? 1 : hash;
  return record;
}

/// Stands for datatype and op in the record of a first call on device memory.
constexpr std::int32_t kDeviceSignature = 0x51520DE7;

// Counts that no call has.
constexpr std::int64_t kSettings = -1;
constexpr std::int64_t kRefusal = -2;

constexpr std::int32_t kInPieces = 0x80;  // beside the algorithm

constexpr std::int32_t kInBytes = 1;  // in place of the op of a call that goes to MPI

bool in_pieces(const CallRecord& record) { return (record.algorithm & kInPieces) != 0; }

bool is_fallback(const CallRecord& record) {
  return record.algorithm == static_cast<std::int32_t>(Algorithm::kMpi);
}

const char* unit_of(const CallRecord& record) {
  return is_fallback(record) && record.op == kInBytes ? " bytes" : " values";
}

std::string road_text(const CallRecord& record) {
  if (is_fallback(record) && record.type == kDeviceSignature) return "with buffers in device memory";
  if (is_fallback(record)) return "with a datatype or op outside the fast path";
  const auto type = static_cast<DataType>(record.type);
  return std::string("with ") + name_of(type) + ", " + name_of(static_cast<ReduceOp>(record.op)) +
         ", codec " + codec_info(record.codec).name + ", algorithm " +
         name_of(static_cast<Algorithm>(record.algorithm & ~kInPieces)) +
         (in_pieces(record) ? ", and device memory that goes through host memory in pieces" : "");
}

}  // namespace

CallRecord record_of(const Request& request, const Plan& plan) {
  return with_check({.count = request.count,
                     .type = static_cast<std::int32_t>(request.type),
                     .op = static_cast<std::int32_t>(request.op),
                     .codec = plan.codec,
                     .algorithm = static_cast<std::int32_t>(plan.algorithm),
                     .epoch = 0,
                     .check = 0});
}

CallRecord record_of_fallback(std::int64_t amount, std::uint32_t signature, bool in_bytes) {
  return with_check({.count = amount,
                     .type = static_cast<std::int32_t>(signature),
                     .op = in_bytes ? kInBytes : 0,
                     .codec = 0,
                     .algorithm = static_cast<std::int32_t>(Algorithm::kMpi),
                     .epoch = 0,
                     .check = 0});
}

CallRecord record_of_pieces(const Request& request, const Plan& plan) {
  CallRecord record = record_of(request, plan);
  record.algorithm |= kInPieces;
  return with_check(record);
}

CallRecord record_of_device(std::int64_t count) {
  return record_of_fallback(count, static_cast<std::uint32_t>(kDeviceSignature));
}

CallRecord record_of_settings() { return record_of_fallback(kSettings, 0); }

CallRecord record_of_refusal(Status why) {
  return record_of_fallback(kRefusal, static_cast<std::uint32_t>(why));
}

bool is_refusal(const CallRecord& record) { return is_fallback(record) && record.count == kRefusal; }

std::string difference_text(const CallRecord& mine, const CallRecord& theirs, int peer) {
  const std::string rank = "rank " + std::to_string(peer);
  if (is_refusal(theirs)) {
    return rank + " refused the arguments of its own call (" + message_of(static_cast<Status>(theirs.type)) +
           ")";
  }
  if (theirs.count == kSettings) return rank + " called qr_mpi_comm_set_info, this rank an all-reduce";
  if (mine.count == kSettings) return rank + " called an all-reduce, this rank qr_mpi_comm_set_info";
  const bool same_kind = mine.type == theirs.type && mine.op == theirs.op && mine.codec == theirs.codec &&
                         mine.algorithm == theirs.algorithm;
  const std::string unit = unit_of(mine);
  if (unit == unit_of(theirs) && (same_kind || mine.count != theirs.count)) {
    return rank + " reduces " + std::to_string(theirs.count) + unit + ", this rank " +
           std::to_string(mine.count);
  }
  const bool devices = mine.type == kDeviceSignature || theirs.type == kDeviceSignature;
  if (is_fallback(mine) && is_fallback(theirs) && !devices)
    return rank + " called with another datatype or op than this rank";
  return rank + " called " + road_text(theirs) + "; this rank " + road_text(mine);
}

}  // namespace qr
