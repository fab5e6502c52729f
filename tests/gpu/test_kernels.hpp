// Small kernels that the device tests put before and behind a call on its stream.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/platform/gpu_call.hpp"

namespace qr::test {

/// Keeps the stream busy.
void queue_delay(hipStream_t stream, std::uint64_t microseconds);

/// values[i] = factor * (i % 8) + *step, as fp32; `step` is read by the device when it comes to it.
void queue_fill(hipStream_t stream, float* values, std::int64_t count, float factor,
                const std::uint32_t* step);

/// *step += 1.
void queue_advance(hipStream_t stream, std::uint32_t* step);

/// Adds to *wrong the number of values that are not factor * (i % 8) + terms * *step.
void queue_check(hipStream_t stream, const float* values, std::int64_t count, float factor, float terms,
                 const std::uint32_t* step, std::uint32_t* wrong);

/// values[i] = value, in words of 16 bits; and the number of words outside [low, high], added to *outside.
void queue_fill_words(hipStream_t stream, std::uint16_t* values, std::int64_t count, std::uint16_t value);
void queue_count_outside(hipStream_t stream, const std::uint16_t* values, std::int64_t count,
                         std::uint16_t low, std::uint16_t high, std::uint32_t* outside);

/// A block as large as those of short calls, which takes a call and does nothing.
void launch_idle(hipStream_t stream, const GpuCall& call);

}  // namespace qr::test
