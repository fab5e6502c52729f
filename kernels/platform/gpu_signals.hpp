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
    std::uint32_t verdict = 0;
    if (thread < world() - 1) verdict = static_cast<std::uint32_t>(poll(peer_of(thread), epoch));
    if (!barrier_any(verdict != 0)) return Verdict::kOk;
    return settle(verdict);
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
    if (check_of_signal(seen) == call_.check) return Verdict::kOk;
    // Every rank's block 0 takes part in every call, so that one reports for all.
    return block_ == 0 ? differ(peer, epoch) : Verdict::kMismatch;
  }

  /// What a thread that waits for `peer` since `begin` does now and then: leaves if others did, or when the
  /// time is over, and rests a little.
  __device__ Verdict look_around(int peer, Epoch epoch, Epoch seen, std::uint64_t begin) {
    // Another block reported; pairs with the exchange in report().
    if (load_volatile(&call_.state->failed) != 0) return Verdict::kAbort;
    GpuOutcome outcome = {
        .verdict = 0, .peer = peer, .about = -1, .expected = epoch, .seen = seen, .theirs = {}};
    // Written by report() of the peer that gave up, or by its host; the note is all in this word.
    const AbortNote note = AbortNote::of(look(&header_of(rank())->abort_word));
    if (note.reason != 0) {
      outcome.peer = note.rank;
      outcome.about = note.about;
      report(Verdict::kAbort, outcome);
      return Verdict::kAbort;
    }
    if (now() - begin > call_.timeout_ticks) {
      report(Verdict::kTimeout, outcome);
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

  /// Tells the peer what this rank's call is, and asks for its own: it has seen this rank's signal too, or
  /// will, and does the same, unless it gives up first.
  __device__ Verdict differ(int peer, Epoch epoch) {
    CallRecord& mine = header_of(rank())->calls[epoch % kRounds];
    mine.count = call_.record.count;
    mine.type = call_.record.type;
    mine.op = call_.record.op;
    mine.codec = call_.record.codec;
    mine.algorithm = call_.record.algorithm;
    store_release(last_word_of(mine), signal_word(epoch, call_.check));  // pairs with the acquire below

    CallRecord& theirs = header_of(peer)->calls[epoch % kRounds];
    const std::uint64_t begin = now();
    while (epoch_of_signal(look(last_word_of(theirs))) != epoch) {
      if (const Verdict verdict = look_around(peer, epoch, epoch, begin); verdict != Verdict::kOk)
        return verdict;
    }
    acquire_seen();
    report(Verdict::kMismatch,
           {.verdict = 0, .peer = peer, .about = -1, .expected = epoch, .seen = epoch, .theirs = theirs});
    return Verdict::kMismatch;
  }

  /// Of a record: the epoch and the check, written last.
  __device__ static std::uint64_t* last_word_of(CallRecord& record) {
    static_assert(offsetof(CallRecord, epoch) % sizeof(std::uint64_t) == 0);
    static_assert(offsetof(CallRecord, check) == offsetof(CallRecord, epoch) + sizeof(Epoch));
    return reinterpret_cast<std::uint64_t*>(&record.epoch);
  }

  /// Only the first report of a rank counts. Its blocks leave, and after a time-out the peers' blocks too.
  __device__ void report(Verdict verdict, GpuOutcome outcome) {
    if (atomicCAS(&call_.state->failed, 0U, static_cast<std::uint32_t>(verdict)) != 0) return;
    outcome.verdict = 0;
    *call_.outcome = outcome;
    __threadfence_system();  // the host reads the verdict first, then the rest
    store_volatile(&call_.outcome->verdict, static_cast<std::uint32_t>(verdict));
    if (verdict != Verdict::kTimeout) return;
    const AbortNote note = {static_cast<std::uint32_t>(verdict), rank(), outcome.peer};
#pragma unroll 1
    for (int owner = 0; owner < world(); ++owner) {
      store_release(&header_of(owner)->abort_word, note.word());  // read in poll_long()
    }
  }

  const Epoch epoch_;
  const bool failed_;
};

}  // namespace qr::gpu
