// Every codec, type, algorithm and many sizes on device memory: the bits must be the host's, and the same on
// all ranks.
//   bits_test RANKS...
#include <cstdio>
#include <cstdlib>

#include "device_buffer.hpp"
#include "fork_world.hpp"
#include "kernels/packet_ops.hpp"

namespace qr::test {
namespace {

constexpr std::int64_t kSmallCounts[] = {1, 7, 31, 33, 2047, 2048, 2049, 8191, 65537};
constexpr std::int64_t kUnflaggedCounts[] = {1, 33, 2049, 8191};
constexpr std::int64_t kTileCounts[] = {300001, 98304};  // several tiles of the small grid
constexpr int kSmallGrid = 1;                            // multiprocessor

struct Case {
  Request request;
  Plan plan;
  std::size_t offset_send;  // elements
  std::size_t offset_recv;
  bool in_place;
  bool specials;
  bool flagged;  // where it is short enough for that

  [[nodiscard]] std::string text() const {
    return std::string(codec_info(plan.codec).name) + " " + name_of(request.type) + " " +
           name_of(request.op) + " " + name_of(plan.algorithm) + " count " + std::to_string(request.count) +
           " offsets " + std::to_string(offset_send) + "," + std::to_string(offset_recv) +
           (in_place ? " in place" : "");
  }
};

class Checker {
 public:
  explicit Checker(World& world) : world_(world) {}

  void check(DeviceSession& session, const Case& test) {
    const std::uint32_t seed = ++calls_;
    const std::size_t width = element_bytes(test.request.type);
    const std::size_t bytes = static_cast<std::size_t>(test.request.count) * width;
    const Bytes mine = make_input(test.request.type, test.request.count, world_.rank(), seed, test.specials);
    const DeviceBuffer send(bytes, test.offset_send * width);
    const DeviceBuffer recv(bytes, test.offset_recv * width);
    send.write(mine);
    if (test.in_place) recv.write(mine);
    const Plan plan = test.flagged ? flagged_if_short(session, test.request, test.plan) : test.plan;
    const Outcome outcome =
        session.run(make_work(test.in_place ? recv.data() : send.data(), recv.data(), test.request, plan));
    if (outcome.verdict != Verdict::kOk)
      throw Error(Status::kInternal, test.text() + ": " + text_of(outcome));
    Bytes result = recv.read();
    if (!recv.guards_hold() || !send.guards_hold()) world_.complain(test.text() + ": wrote outside");
    if (send.read() != mine) world_.complain(test.text() + ": changed its input");
    const auto sums = gather_all(world_, checksum(result));
    if (world_.rank() != 0) return;
    for (const std::uint64_t sum : sums) {
      if (sum != sums[0]) world_.complain(test.text() + ": ranks differ");
    }
    std::vector<Bytes> inputs;
    for (int rank = 0; rank < world_.size(); ++rank) {
      inputs.push_back(make_input(test.request.type, test.request.count, rank, seed, test.specials));
    }
    Bytes expected = host_result(inputs, test.request, test.plan);
    equalize_nans(test.request.type, expected);
    equalize_nans(test.request.type, result);
    if (result != expected) complain_at(test, expected, result);
  }

  [[nodiscard]] std::uint32_t calls() const { return calls_; }

 private:
  void complain_at(const Case& test, const Bytes& expected, const Bytes& result) {
    const std::size_t width = element_bytes(test.request.type);
    std::size_t wrong = 0;
    std::size_t first = result.size();
    for (std::size_t at = 0; at < result.size(); at += width) {
      if (std::memcmp(&expected[at], &result[at], width) == 0) continue;
      ++wrong;
      first = std::min(first, at);
    }
    const auto hex = [&](const Bytes& values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &values[first], width);
      char text[20];
      std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(bits));
      return std::string(text);
    };
    world_.complain(test.text() + ": " + std::to_string(wrong) + " wrong, first at " +
                    std::to_string(first / width) + ": expected " + hex(expected) + ", got " + hex(result));
  }

  World& world_;
  std::uint32_t calls_ = 0;
};

void check_counts(Checker& checker, DeviceSession& full, DeviceSession& small, Case test) {
  int variant = 0;
  test.flagged = true;
  for (const std::int64_t count : kSmallCounts) {
    if (count > most_values()) continue;
    test.request.count = count;
    test.in_place = variant % 3 == 2;
    test.offset_send = variant % 2 == 0 ? 0 : 1 + static_cast<std::size_t>(variant) % 7;
    test.offset_recv = variant % 4 < 2 ? 0 : 3;
    test.specials = variant % 2 == 0;
    checker.check(full, test);
    ++variant;
  }
  // Short messages the way of long ones, which few plans choose, and several tiles.
  test.flagged = false;
  for (const std::int64_t count : kUnflaggedCounts) {
    test.request.count = count;
    test.offset_send = static_cast<std::size_t>(variant) % 2;
    test.offset_recv = 0;
    test.specials = !test.specials;
    checker.check(small, test);
    ++variant;
  }
  for (const std::int64_t count : kTileCounts) {
    if (count > most_values()) continue;
    test.request.count = count;
    test.offset_send = test.offset_recv = 0;
    test.in_place = !test.in_place;
    checker.check(small, test);
  }
}

void check_all(World& world) {
  const auto full = make_session(world, 0, 20000);
  const auto small = make_session(world, kSmallGrid, 20000);
  if (world.rank() == 0) std::printf("%d ranks: %s\n", world.size(), full->describe().c_str());
  Checker checker(world);
  for (const Algorithm algorithm : {Algorithm::kExchange, Algorithm::kTwoShot}) {
    for (int codec = 0; codec < codec_count(); ++codec) {
      for (int type = 0; type < kDataTypeCount; ++type) {
        for (int op = 0; op < kReduceOpCount; ++op) {
          Case test{};
          test.request.type = static_cast<DataType>(type);
          test.request.op = static_cast<ReduceOp>(op);
          test.plan = {algorithm, codec, ""};
          if (packet_ops(codec, test.request.type, test.request.op) == nullptr) continue;
          check_counts(checker, *full, *small, test);
        }
      }
    }
  }
  if (world.rank() == 0) std::printf("%d ranks: %u calls compared\n", world.size(), checker.calls());
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  bool good = true;
  for (int i = 1; i < argc; ++i)
    good = qr::test::run_ranks(std::atoi(argv[i]), 300, qr::test::check_all) && good;
  std::printf("bits_test: %s\n", good ? "passed" : "FAILED");
  return good ? 0 : 1;
}
