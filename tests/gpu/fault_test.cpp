// When ranks do not do the same: other arguments, a rank that is late, one that never comes, memory that is
// not the peer's.
//   fault_test RANKS...     (QR_MPI_SHARED_DEVICE=1 where ranks share a device)
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "device_buffer.hpp"
#include "fork_world.hpp"

namespace qr::test {
namespace {

const std::int64_t kCount = std::min<std::int64_t>(50000, most_values());
const std::chrono::seconds kSoon{5 * slower()};
constexpr Plan kRaw{Algorithm::kExchange, 0, ""};

struct Buffers {
  DeviceBuffer send{static_cast<std::size_t>(kCount) * 4, 0};
  DeviceBuffer recv{static_cast<std::size_t>(kCount) * 4, 0};
};

Outcome call(DeviceSession& session, const Buffers& buffers, std::int64_t count, const Plan& plan) {
  const Request request{count, DataType::kFloat32, ReduceOp::kSum};
  return session.run(
      make_work(buffers.send.data(), buffers.recv.data(), request, flagged_if_short(session, request, plan)));
}

/// FR-11: an error on all ranks, and the next call works.
void test_mismatch(World& world) {
  const auto session = make_session(world, 0, 10000);
  const Buffers buffers;
  const bool odd_one = world.rank() == world.size() - 1;
  for (int round = 0; round < repeats(20); ++round) {
    const Plan plan{round % 2 == 0 ? Algorithm::kExchange : Algorithm::kTwoShot, 0, ""};
    const Plan other{round % 4 < 2 ? plan.algorithm : Algorithm::kTwoShot, 0, ""};
    const std::int64_t odd_count = kCount - 1 - kCount / 50 * round;
    const Outcome outcome = call(*session, buffers, odd_one ? odd_count : kCount, odd_one ? other : plan);
    if (outcome.verdict != Verdict::kMismatch) world.complain("mismatch expected, " + text_of(outcome));
    if (outcome.theirs.count != (odd_one ? kCount : odd_count))
      world.complain("not the peer's call: " + std::to_string(outcome.theirs.count) + " values");
    const Outcome handshake = session->handshake(
        make_work(nullptr, nullptr, {odd_one ? 1 : 2, DataType::kFloat32, ReduceOp::kSum}, kRaw));
    if (handshake.verdict != Verdict::kMismatch)
      world.complain("mismatch of handshakes expected, " + text_of(handshake));
    for (int good = 0; good < round % 5 + 1; ++good) {
      const Outcome after = call(*session, buffers, kCount - round, plan);
      if (after.verdict != Verdict::kOk) world.complain("after a mismatch: " + text_of(after));
    }
  }
}

/// FR-05: a late rank is waited for, a missing one is named by all others in time.
void test_silence(World& world) {
  const auto session = make_session(world, 0, 2000);
  const Buffers buffers;
  const int silent = world.size() - 1;
  if (world.rank() == silent) usleep(1000 * 1000);
  if (const Outcome late = call(*session, buffers, kCount, kRaw); late.verdict != Verdict::kOk) {
    world.complain("a rank that is a second late: " + text_of(late));
  }
  if (world.rank() != silent) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = call(*session, buffers, kCount, kRaw);
    const auto waited = std::chrono::steady_clock::now() - begin;
    const bool named =
        outcome.verdict == Verdict::kTimeout ? outcome.peer == silent : outcome.about == silent;
    if (outcome.verdict == Verdict::kOk || !named) world.complain("a missing rank: " + text_of(outcome));
    if (waited > kSoon) world.complain("a missing rank was noticed too late");
    const Outcome again = call(*session, buffers, kCount, kRaw);
    if (again.verdict == Verdict::kOk) world.complain("a broken session went on");
    if (const hipError_t error = hipDeviceSynchronize(); error != hipSuccess)
      world.complain("the device is unusable");
  }
  world.barrier();
}

/// The abort note of a rank that gave up outside a call frees the others at once.
void test_abort(World& world) {
  const auto session = make_session(world, 0, 20000);
  const Buffers buffers;
  world.barrier();
  const auto begin = std::chrono::steady_clock::now();
  if (world.rank() == 0) {
    usleep(200 * 1000);
    session->abort(Verdict::kTimeout, -1);
  } else {
    const Outcome outcome = call(*session, buffers, kCount, kRaw);
    if (outcome.verdict != Verdict::kAbort || outcome.peer != 0)
      world.complain("an abort: " + text_of(outcome));
    if (std::chrono::steady_clock::now() - begin > kSoon) world.complain("an abort came too late");
  }
  world.barrier();
}

/// FR-03: a handle of other memory is found out by all ranks.
void test_wrong_arena(World& world) {
  setenv("QR_MPI_TEST_FAULT", "wrong_device_arena:1", 1);
  bool refused = false;
  try {
    (void)make_session(world, 0, 1000);
  } catch (const Error& error) {
    refused = error.status() == Status::kUnavailable;
    if (world.rank() == 0) std::printf("as expected: %s\n", error.what());
  }
  unsetenv("QR_MPI_TEST_FAULT");
  if (!refused) world.complain("a wrong arena was accepted");
  int device = -1;
  hip_check(hipGetDevice(&device), "ask for the device");
  int devices = 0;
  hip_check(hipGetDeviceCount(&devices), "count devices");
  if (device != world.rank() % devices) world.complain("set-up left another device current");
}

/// FR-04: ranks on one device without leave get one clear reason.
void test_shared_device(World& world) {
  int devices = 0;
  hip_check(hipGetDeviceCount(&devices), "count devices");
  if (devices >= world.size()) return;
  const char* value = std::getenv("QR_MPI_SHARED_DEVICE");
  const std::string before = value == nullptr ? "" : value;
  unsetenv("QR_MPI_SHARED_DEVICE");
  Settings settings;
  const SessionResult result = make_device_session(world, settings);
  if (result.session || result.why.status != Status::kUnavailable)
    world.complain("a shared device was accepted");
  if (world.rank() == 0) std::printf("as expected: %s\n", result.why.text.c_str());
  setenv("QR_MPI_SHARED_DEVICE", before.c_str(), 1);
}

void test_all(World& world) {
  test_mismatch(world);
  test_wrong_arena(world);
  test_shared_device(world);
  test_abort(world);
  test_silence(world);
}

}  // namespace
}  // namespace qr::test

int main(int argc, char** argv) {
  bool good = true;
  for (int i = 1; i < argc; ++i)
    good = qr::test::run_ranks(std::atoi(argv[i]), 90, qr::test::test_all) && good;
  std::printf("fault_test: %s\n", good ? "passed" : "FAILED");
  return good ? 0 : 1;
}
