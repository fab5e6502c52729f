// Data that carries its own flag: every 8 bytes hold 4 of payload and the epoch, in one store, so a reader
// polls the data itself and needs neither fence nor barrier. For short messages; twice the bytes.
//
// The memory is apart from the regions of gpu_signals.hpp, since there a user's bits could look like an
// epoch. Two rounds are enough: a rank writes words of epoch e after its call e - 1 or a later one ended, for
// which it had seen every peer's data or signal, which the peer sent after its own call e - 2 ended. A word
// that is not written for exactly 2^32 epochs would be taken for new; that many calls of other sizes only
// take half a day.
#pragma once

#include "gpu_signals.hpp"

namespace qr::gpu {

/// What one thread sends.
template <int kPairs>
struct Payload {
  std::uint32_t word[2 * kPairs];
};

class GpuFlagged : public GpuSignals {
 public:
  using GpuSignals::GpuSignals;

  __device__ static bool is_control() { return static_cast<int>(threadIdx.x) >= kFlaggedThreads; }

  /// Which share of the vector is this thread's.
  __device__ std::int64_t share() const {
    return static_cast<std::int64_t>(block_) * kFlaggedThreads + static_cast<int>(threadIdx.x);
  }

  /// Where this thread's words for `peer` go, and where those of `source` come.
  __device__ uint4* outbox(int peer, Epoch epoch) const { return place(peer, rank(), epoch); }
  __device__ const uint4* inbox(int source, Epoch epoch) const { return place(rank(), source, epoch); }

  template <int kPairs>
  __device__ static void push(const Payload<kPairs>& payload, uint4* to, Epoch epoch) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      store_words(to + i * kFlaggedThreads,
                  make_uint4(payload.word[2 * i], epoch, payload.word[2 * i + 1], epoch));
    }
  }

  /// What a look at the peer's words found.
  template <int kPairs>
  struct Look {
    uint4 words[kPairs];
    __device__ bool complete(Epoch epoch) const {
      bool all = true;
#pragma unroll
      for (int i = 0; i < kPairs; ++i) all = all && words[i].y == epoch && words[i].w == epoch;
      return all;
    }
    __device__ Payload<kPairs> payload() const {
      Payload<kPairs> result;
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        result.word[2 * i] = words[i].x;
        result.word[2 * i + 1] = words[i].z;
      }
      return result;
    }
  };

  template <int kPairs>
  __device__ static Look<kPairs> look(const uint4* from) {
    Look<kPairs> result;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) result.words[i] = load_words(from + i * kFlaggedThreads);
    return result;
  }

  /// Looks until the peer's words are there, or gives up. Only a failed control() says that a peer makes
  /// another call.
  template <int kPairs>
  __device__ Verdict await(int peer, Epoch epoch, Look<kPairs>& seen) {
    if (seen.complete(epoch)) return Verdict::kOk;
    const std::uint64_t begin = now();
    for (;;) {
#pragma unroll 1
      for (int polls = 0; polls < kPollsBetweenChecks; ++polls) {
        seen = look<kPairs>(inbox(peer, epoch));
        if (seen.complete(epoch)) return Verdict::kOk;
      }
      const Verdict verdict = look_around(peer, epoch, epoch - 1, begin);
      if (verdict != Verdict::kOk) return verdict;
    }
  }

  /// The control warp: posts this block's signals and makes sure that all peers make the same call. Signals
  /// are posted whatever `check` is, so that their words never lag behind by half the epochs.
  __device__ Verdict control(Epoch epoch) {
    const int lane = static_cast<int>(threadIdx.x) - kFlaggedThreads;
    publish_record(kFlaggedThreads);
    lanes_meet();
    if (lane >= world() - 1) return Verdict::kOk;
    store_signal(signal_place(peer_of(lane), rank(), epoch), signal_word(epoch, call_.check));
    if (call_.check == 0) return Verdict::kOk;
    // Not behind conclude()'s barrier: threads that wait for data leave when a mismatch has been reported.
    return explained(poll(peer_of(lane), epoch), peer_of(lane), epoch);
  }

  /// The block's verdict. It takes the shared memory that the waits of other kernels take, so that all of the
  /// library's kernels want a multiprocessor split alike and can run side by side on it (see
  /// load_kernels()).
  __device__ Verdict conclude(Verdict verdict) {
    if (!barrier_any(verdict != Verdict::kOk)) return Verdict::kOk;
    return settle(static_cast<std::uint32_t>(verdict));
  }

 private:
  /// This thread's first word of what `source` sends to `owner`.
  __device__ uint4* place(int owner, int source, Epoch epoch) const {
    const std::uint32_t round = static_cast<std::uint32_t>(block_) * kFlaggedRounds + epoch % kFlaggedRounds;
    const std::uint32_t index =
        round * static_cast<std::uint32_t>(world()) + static_cast<std::uint32_t>(source);
    return reinterpret_cast<uint4*>(call_.base[owner] + call_.flagged_offset) +
           index * (kFlaggedWords * kFlaggedThreads) + threadIdx.x;
  }
};

}  // namespace qr::gpu
