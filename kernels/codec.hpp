// What a codec is: the contract that makes "a codec is one file" true.
#pragma once

#include <concepts>
#include <cstdint>

#include "types.hpp"

namespace qr {

/// A block codec turns 32 floats and one scale into 32 codes of kBits bits. It knows nothing of threads,
/// ranks, buffers or vendors. It is written once, over a `Math` (see math.hpp): plain floats on a GPU lane
/// and in the reference, SIMD vectors on the host. Every operation of a Math is correctly rounded IEEE, so
/// all give the same bits.
///
/// A codec file `codec/<name>.hpp` defines `struct <Name>` (first letter upper case) with:
///   kName                 the name of the API, of the environment and of reports; equals the file's name
///   kBits                 1..8 bits a code on the wire
///   kLargest              largest |decode(code)| in units of |scale|, 4..512
///   kError                bound on |x - decode(encode(x))| in units of the block's largest magnitude, before
///                         the result is rounded to a 16-bit element type
///   scale<M>(extreme)     decode scale for a block whose value of largest magnitude is `extreme` (with its
///   sign);
///                         the frame rounds it to the 16-bit scale word and limits it so that kLargest *
///                         scale stays finite
///   encode<M>(x, inverse) code of x, inverse = 1 / (rounded scale); bits above kBits must be 0
///   decode<M>(code, scale) value of a code; must be exact in fp32 (short code times 8-bit scale), and +0 for
///   zero;
///                         kLargest * |scale| may be the largest fp32 number, so no step may exceed it
/// It may define kShortInverse = true if it bears an inverse that is rounded to bf16 (block.hpp); for what
/// integer codecs define beyond this see integer_codec.hpp. The frame (block scales, packing, NaN and Inf,
/// tails) is not the codec's business.
template <class C, class M>
concept BlockCodec = requires(typename M::F x, typename M::U code) {
  { C::kName } -> std::convertible_to<const char*>;
  { C::kBits } -> std::convertible_to<int>;
  { C::kLargest } -> std::convertible_to<float>;
  { C::kError } -> std::convertible_to<double>;
  { C::template scale<M>(x) } -> std::same_as<typename M::F>;
  { C::template encode<M>(x, x) } -> std::same_as<typename M::U>;
  { C::template decode<M>(code, x) } -> std::same_as<typename M::F>;
};

}  // namespace qr
