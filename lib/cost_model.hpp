// What a call on device memory is predicted to take: a pure function of what all ranks share.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"
#include "lib/tuning.hpp"

namespace qr {

/// How an algorithm is run on device memory. The two exchanges give the same bits.
enum class Form { kFlagged, kExchange, kTwoShot };

/// Values of a block of the flagged exchange.
int flagged_block_values(int codec, DataType type);

/// True when a flagged exchange of `count` values has at most `most_blocks` blocks, and one at least.
bool fits_flagged(int codec, DataType type, std::int64_t count, int most_blocks);

/// Microseconds of a call of `world` ranks, two at least. The same number on all ranks, which run one build
/// and have one table. Grows with `count`. Does not ask whether a flagged exchange fits.
double predict_us(Form form, int codec, DataType type, int world, std::int64_t count, const Tuning& tuning);

}  // namespace qr
