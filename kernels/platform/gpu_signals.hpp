// The signals of one block on a GPU: posting, waiting with a deadline, giving up. Base of the teams.
#pragma once

#include "gpu_call.hpp"
#include "gpu_math.hpp"

namespace qr::gpu {

class GpuSignals {
 public:
  /// Comes before all else in a kernel. Starts `skipped` epochs after the last one of the call before.
  __device__ explicit GpuSignals(const GpuCall& call, Epoch skipped = 0)
      : call_(begun(call)),
        block_(static_cast<int>(blockIdx.x)),
        epoch_(call.state->epochs[blockIdx.x] + skipped),
        failed_(call.state->failed != 0) {}

  __device__ int rank() const { return call_.rank; }
  __device__ int world() const { return call_.world; }
  __device__ Epoch epoch() const { return epoch_; }
  /// True when an earlier call failed: then nothing may be sent any more.
  __device__ bool failed() const { return failed_; }
  __device__ void commit(Epoch epoch) {
    if (threadIdx.x == 0) call_.state->epochs[block_] = epoch;
  }

  /// What the peers read when a check differs, all but the epoch, which makes it valid (see differ()):
  /// written once a call, by one thread, before the first signal.
  __device__ void publish_record(int thread = 0) {
    if (block_ != 0 || static_cast<int>(threadIdx.x) != thread || call_.check == 0) return;
    CallRecord& mine = header_of(rank())->calls[(epoch_ + 1) % kRounds];
    mine.count = call_.record.count;
    mine.type = call_.record.type;
    mine.op = call_.record.op;
    mine.codec = call_.record.codec;
    mine.algorithm = call_.record.algorithm;
    mine.check = call_.check;
  }

  __device__ void signal(Epoch epoch) {
    drain_stores();
    __syncthreads();
    const int thread = static_cast<int>(threadIdx.x);
    if (thread >= world() - 1) return;
    // Pairs with the acquire in the peer's poll(): all that this block stored before the barrier is visible
    // to it.
    store_release(signal_place(peer_of(thread), rank(), epoch), signal_word(epoch, call_.check));
  }

  __device__ Verdict wait(Epoch epoch) {
    const int thread = static_cast<int>(threadIdx.x);
    Verdict verdict = Verdict::kOk;
    if (thread < world() - 1) verdict = poll(peer_of(thread), epoch);
    if (!barrier_any(verdict != Verdict::kOk)) return Verdict::kOk;
    return settle(static_cast<std::uint32_t>(explained(verdict, peer_of(thread), epoch)));
  }
  __device__ void last_wait_over() const { let_kernel_behind_begin(); }

 protected:
  __device__ std::byte* region(int owner, Ring ring, Epoch epoch, int source) const {
    // ArenaLayout::region_offset() in 32 bits.
    const std::uint32_t rounds =
        static_cast<std::uint32_t>(block_) * kRings + static_cast<std::uint32_t>(ring);
    const std::uint32_t index = (rounds * kRounds + epoch % kRounds) * static_cast<std::uint32_t>(world()) +
                                static_cast<std::uint32_t>(source);
    return call_.base[owner] + (call_.regions_offset + index * call_.region_bytes);
  }

  static constexpr int kPollsBetweenChecks = 64;

  __device__ int peer_of(int thread) const {
    const int peer = rank() + 1 + thread;
    return peer < world() ? peer : peer - world();
  }
  __device__ ArenaHeader* header_of(int owner) const {
    return reinterpret_cast<ArenaHeader*>(call_.base[owner]);
  }
  __device__ std::uint64_t* signal_place(int owner, int source, Epoch epoch) const {
    auto* lines = reinterpret_cast<SignalLine*>(call_.base[owner] + sizeof(ArenaHeader));
    return &lines[block_ * world() + source].word[epoch % kRounds];
  }

  __device__ Verdict poll(int peer, Epoch epoch) {
    const std::uint64_t* place = signal_place(rank(), peer, epoch);
    std::uint64_t seen = look(place);
    if (!not_before(epoch_of_signal(seen), epoch)) {
      if (const Verdict verdict = poll_long(peer, epoch, seen); verdict != Verdict::kOk) return verdict;
    }
    acquire_seen();  // pairs with the release in the peer's signal()
    return check_of_signal(seen) == call_.check ? Verdict::kOk : Verdict::kMismatch;
  }

  /// Of the thread that polled: reports a mismatch.
  __device__ Verdict explained(Verdict verdict, int peer, Epoch epoch) {
    // Every rank's block 0 takes part in every call, so that one reports for all.
    return verdict == Verdict::kMismatch && block_ == 0 ? differ(peer, epoch) : verdict;
  }

  /// What a thread that waits for `peer` since `begin` does now and then: leaves if others did, or when the
  /// time is over, and rests a little.
  __device__ Verdict look_around(int peer, Epoch epoch, Epoch seen, std::uint64_t begin) {
    // Another block reported; pairs with the exchange in report().
    if (load_volatile(&call_.state->failed) != 0) return Verdict::kAbort;
    // Written by report() of the peer that gave up, or by its host; the note is all in this word.
    const AbortNote note = AbortNote::of(look(&header_of(rank())->abort_word));
    if (note.reason != 0) {
      report(Verdict::kAbort, note.rank, note.about, epoch, seen);
      return Verdict::kAbort;
    }
    if (now() - begin > call_.timeout_ticks) {
      report(Verdict::kTimeout, peer, -1, epoch, seen);
      return Verdict::kTimeout;
    }
    nap();
    return Verdict::kOk;
  }

  /// One verdict for the block when its threads differ: the most serious one, a time-out before a mismatch.
  __device__ Verdict settle(std::uint32_t verdict) {
    __shared__ std::uint32_t least;
    __syncthreads();
    if (threadIdx.x == 0) least = ~0U;
    __syncthreads();
    if (verdict != 0) atomicMin(&least, verdict);
    __syncthreads();
    return static_cast<Verdict>(least);
  }

  const GpuCall& call_;
  const int block_;

 private:
  __device__ static const GpuCall& begun(const GpuCall& call) {
    wait_for_kernels_before();
    return call;
  }

  __device__ Verdict poll_long(int peer, Epoch epoch, std::uint64_t& seen) {
    const std::uint64_t* place = signal_place(rank(), peer, epoch);
    const std::uint64_t begin = now();
    for (;;) {
#pragma unroll 1
      for (int polls = 0; polls < kPollsBetweenChecks; ++polls) {
        seen = look(place);
        if (not_before(epoch_of_signal(seen), epoch)) return Verdict::kOk;
      }
      const Verdict verdict = look_around(peer, epoch, epoch_of_signal(seen), begin);
      if (verdict != Verdict::kOk) return verdict;
    }
  }

  /// Tells the peer that this rank's record is there, and waits for the peer's: it has seen this rank's
  /// signal too, or will, and does the same, unless it gives up first.
  __device__ Verdict differ(int peer, Epoch epoch) {
    CallRecord& mine = header_of(rank())->calls[epoch % kRounds];
    store_release(&mine.epoch, epoch);  // pairs with the acquire below

    const CallRecord& theirs = header_of(peer)->calls[epoch % kRounds];
    const std::uint64_t begin = now();
    while (look(&theirs.epoch) != epoch) {
      if (const Verdict verdict = look_around(peer, epoch, epoch, begin); verdict != Verdict::kOk)
        return verdict;
    }
    acquire_seen();
    report(Verdict::kMismatch, peer, -1, epoch, epoch, [&](GpuOutcome& outcome) { outcome.theirs = theirs; });
    return Verdict::kMismatch;
  }

  /// Only the first report of a rank counts. Its blocks leave, and after a time-out the peers' blocks too.
  template <class Fill>
  __device__ void report(Verdict verdict, int peer, int about, Epoch expected, Epoch seen, const Fill& fill) {
    if (atomicCAS(&call_.state->failed, 0U, static_cast<std::uint32_t>(verdict)) != 0) return;
    GpuOutcome& outcome = *call_.outcome;
    outcome.peer = peer;
    outcome.about = about;
    outcome.expected = expected;
    outcome.seen = seen;
    fill(outcome);
    __threadfence_system();  // the host reads the verdict first, then the rest
    store_volatile(&call_.outcome->verdict, static_cast<std::uint32_t>(verdict));
    if (verdict != Verdict::kTimeout) return;
    const AbortNote note = {static_cast<std::uint32_t>(verdict), rank(), peer};
#pragma unroll 1
    for (int owner = 0; owner < world(); ++owner) {
      store_release(&header_of(owner)->abort_word, note.word());  // read in poll_long()
    }
  }
  __device__ void report(Verdict verdict, int peer, int about, Epoch expected, Epoch seen) {
    report(verdict, peer, about, expected, seen, [](GpuOutcome&) {});
  }

  const Epoch epoch_;
  const bool failed_;
};

}  // namespace qr::gpu
