// What a back end is: one folder that can run the algorithms on one kind of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/arena.hpp"
#include "kernels/protocol.hpp"
#include "lib/bootstrap.hpp"
#include "lib/plan.hpp"
#include "lib/settings.hpp"

namespace qr {

/// One all-reduce of the fast path. Pointers are the back end's own kind of memory, aligned to the element;
/// send may equal recv.
struct Work {
  const void* send = nullptr;
  void* recv = nullptr;
  Request request;
  Plan plan;
  CallRecord record{};  // what the peers compare; record.check is 0 when checking is off
};

/// How a call ended, and on whom.
struct Outcome {
  Verdict verdict = Verdict::kOk;
  int peer = -1;   // the peer that was late, that gave up, or that differs
  int about = -1;  // kAbort: the rank that the peer gave up on, -1 if none
  Epoch expected = 0;
  Epoch seen = 0;
  CallRecord theirs{};    // kMismatch: what the peer called
  bool captured = false;  // kOk on a stream: the call became part of a graph and has not run
};

/// What plans for device memory depend on.
struct DeviceTraits {
  std::string name;        // of this rank's device, with its architecture where the runtime tells
  int sharers = 1;         // ranks on it
  int flagged_blocks = 0;  // of the largest flagged exchange; equal on all ranks
};

/// The arenas of one communicator, mapped and proved. Not thread-safe: one call at a time, as MPI demands of
/// a communicator.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Runs the plan; returns when `recv` holds the result. Collective over the session's ranks.
  virtual Outcome run(const Work& work) = 0;

  /// Queues the plan on a stream of the device and returns at once. Sessions of device memory only. Not kOk:
  /// an earlier call on a stream failed, and nothing was queued.
  virtual Outcome run_on_stream(const Work& /*work*/, void* /*stream*/) {
    throw Error(Status::kInternal, "this kind of memory has no streams");
  }

  /// A handshake without data: makes sure that all ranks make this same call (the check before a fallback).
  virtual Outcome handshake(const Work& work) = 0;

  /// This rank refuses a call that its peers may make: they find that in the record, instead of waiting for
  /// it. Waits for nobody, unless the call before was refused too. Sessions of host memory only.
  virtual Outcome refuse(const CallRecord& /*record*/) {
    throw Error(Status::kInternal, "this kind of memory has no refusals");
  }

  /// Tells all peers that this rank gave up, so that they leave their waits at once. Local.
  virtual void abort(Verdict reason, int about) = 0;

  /// Host memory: this rank makes a call on device memory, which peers that wait for it here can see; or it
  /// captures one, and then nobody can tell how often that runs.
  virtual void note_device_call(bool /*captured*/) {}

  /// What a peer left when it gave up; reason 0 if none did.
  [[nodiscard]] virtual AbortNote abort_note() const { return {}; }

  /// Ordinal of the device whose memory this is about; -1 for host memory.
  [[nodiscard]] virtual int device() const { return -1; }
  [[nodiscard]] virtual DeviceTraits traits() const { return {}; }

  [[nodiscard]] virtual const ArenaLayout& layout() const = 0;
  /// One line for people: what memory the arenas are and how the peers reached them.
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// Makes a session, or says why not. Collective: all ranks get a session, or all get none and the same `why`.
struct SessionResult {
  std::unique_ptr<Session> session;
  Agreement why;
};
SessionResult make_host_session(Bootstrap& bootstrap, const Settings& settings);

/// For memory of the current device of each rank. Only in builds with a GPU back end (QR_WITH_DEVICE).
SessionResult make_device_session(Bootstrap& bootstrap, const Settings& settings);

}  // namespace qr
