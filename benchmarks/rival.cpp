// MPI_Allreduce with predefined ops, or with a vectorised user op on 2-byte values.
#include "rival.hpp"

#include <cstdio>

#if defined(__x86_64__)
#include <immintrin.h>
#define QR_BENCH_AVX2 __attribute__((target("avx2,f16c")))
#endif

namespace qr::bench {
namespace {

template <class T, Operation kOperation>
inline void combine_values(const T* in, T* inout, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    inout[index] = from_float<T>(combine<kOperation>(to_float(in[index]), to_float(inout[index])));
  }
}

#if defined(__x86_64__)

template <Operation kOperation>
QR_BENCH_AVX2 inline __m256 combine_8(__m256 a, __m256 b) {
  if constexpr (kOperation == Operation::kSum) return _mm256_add_ps(a, b);
  if constexpr (kOperation == Operation::kProd) return _mm256_mul_ps(a, b);
  if constexpr (kOperation == Operation::kMin) return _mm256_min_ps(a, b);
  if constexpr (kOperation == Operation::kMax) return _mm256_max_ps(a, b);
}

QR_BENCH_AVX2 inline __m256 widen_8(const Float16* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

QR_BENCH_AVX2 inline __m256 widen_8(const BFloat16* from) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}

QR_BENCH_AVX2 inline void round_8(Float16* to, __m256 values) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}

QR_BENCH_AVX2 inline void round_8(BFloat16* to, __m256 values) {
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i halves = _mm256_srli_epi32(sum, 16);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(halves, halves), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
}

template <class T, Operation kOperation>
QR_BENCH_AVX2 void combine_avx2(const T* in, T* inout, std::size_t count) {
  std::size_t index = 0;
  for (; index + 8 <= count; index += 8) {
    round_8(inout + index, combine_8<kOperation>(widen_8(in + index), widen_8(inout + index)));
  }
  combine_values<T, kOperation>(in + index, inout + index, count - index);
}

#endif

template <class T, Operation kOperation>
void plain_function(void* in, void* inout, int* count, MPI_Datatype* /*datatype*/) {
  combine_values<T, kOperation>(static_cast<const T*>(in), static_cast<T*>(inout),
                                static_cast<std::size_t>(*count));
}

template <class T, Operation kOperation>
void tuned_function(void* in, void* inout, int* count, MPI_Datatype* datatype) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {  // every processor with AVX2 has F16C
    combine_avx2<T, kOperation>(static_cast<const T*>(in), static_cast<T*>(inout),
                                static_cast<std::size_t>(*count));
    return;
  }
#endif
  plain_function<T, kOperation>(in, inout, count, datatype);
}

template <class T>
MPI_User_function* user_function_of(Operation operation, UserOp user_op) {
  return visit(
      operation,
      [&]<Operation kOperation>(std::integral_constant<Operation, kOperation>) -> MPI_User_function* {
        return user_op == UserOp::kTuned ? &tuned_function<T, kOperation> : &plain_function<T, kOperation>;
      });
}

}  // namespace

Rival::Rival(Element element, Operation operation, UserOp user_op)
    : datatype_(mpi_type_of(element)), op_(mpi_op_of(operation)) {
  if (element == Element::kFloat || element == Element::kDouble) return;
  datatype_ = MPI_UINT16_T;
  MPI_User_function* function = element == Element::kFloat16 ? user_function_of<Float16>(operation, user_op)
                                                             : user_function_of<BFloat16>(operation, user_op);
  check(MPI_Op_create(function, 1, &op_), "MPI_Op_create");
  owned_ = true;
}

Rival::~Rival() {
  if (owned_ && MPI_Op_free(&op_) != MPI_SUCCESS) std::fputs("MPI_Op_free failed\n", stderr);
}

void Rival::allreduce(const void* send, void* recv, std::int64_t count, MPI_Comm comm) const {
  check(MPI_Allreduce(send, recv, static_cast<int>(count), datatype_, op_, comm), "MPI_Allreduce");
}

}  // namespace qr::bench
