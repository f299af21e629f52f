// SPDX-License-Identifier: Apache-2.0
#include "sim/units/philox.hpp"

#include "sim/units/error.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define VACANCY_PHILOX_AVX2
#include <immintrin.h>
#endif

namespace vacancy {
namespace {

// Multipliers and key increments (Salmon et al. 2011, table 2).
constexpr std::uint32_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;
constexpr std::uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;

constexpr std::uint32_t high(std::uint64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}
constexpr std::uint32_t low(std::uint64_t product) {
  return static_cast<std::uint32_t>(product);
}

/// What all tokens of a batch share. With counter words 0-2 fixed, words 0, 1 and 3 after the first
/// round do not depend on the token, nor do words 2 and 3 after the second, nor word 1 after the
/// third: of the twenty products of ten rounds, those that are left take fifteen.
struct Batch {
  std::uint32_t key0[10], key1[10];
  // Word 2 after round 1 is token ^ token_mask.
  std::uint32_t token_mask;
  // Round 2: word 0 is high(m1 · word 2) ^ second_mask, word 1 low(m1 · word 2); word 3 is
  // third_word.
  std::uint32_t second_mask;
  // Round 3: word 0 is word 1 ^ third_mask, word 1 is third_low, word 2 is high(m0 · word 0) ^
  // third_key.
  std::uint32_t third_mask, third_low, third_key;

  Batch(PhiloxKey key, std::uint32_t c0, std::uint32_t c1, std::uint32_t c2) {
    for (std::uint32_t round = 0; round < 10; ++round) {
      key0[round] = key[0] + round * w0;
      key1[round] = key[1] + round * w1;
    }
    const std::uint64_t p0 = std::uint64_t{m0} * c0, p1 = std::uint64_t{m1} * c2;
    const std::uint32_t first0 = high(p1) ^ c1 ^ key0[0], first1 = low(p1), first3 = low(p0);
    token_mask = high(p0) ^ key1[0];
    const std::uint64_t q0 = std::uint64_t{m0} * first0;
    second_mask = first1 ^ key0[1];
    const std::uint32_t second2 = high(q0) ^ first3 ^ key1[1], second3 = low(q0);
    const std::uint64_t r1 = std::uint64_t{m1} * second2;
    third_mask = high(r1) ^ key0[2];
    third_low = low(r1);
    third_key = second3 ^ key1[2];
  }

  /// Word 0 of the tenth round.
  std::uint32_t draw(std::uint32_t token) const {
    const std::uint64_t p = std::uint64_t{m1} * (token ^ token_mask);
    const std::uint64_t q = std::uint64_t{m0} * (high(p) ^ second_mask);
    std::uint32_t x0 = low(p) ^ third_mask, x1 = third_low, x2 = high(q) ^ third_key, x3 = low(q);
    for (int round = 3; round < 9; ++round) {
      const std::uint64_t p0 = std::uint64_t{m0} * x0, p1 = std::uint64_t{m1} * x2;
      x0 = high(p1) ^ x1 ^ key0[round];
      x1 = low(p1);
      x2 = high(p0) ^ x3 ^ key1[round];
      x3 = low(p0);
    }
    return high(std::uint64_t{m1} * x2) ^ x1 ^ key0[9];
  }
};

#if defined(VACANCY_PHILOX_AVX2)

/// The same for eight tokens at a time: two vectors of four, a token in each 64-bit lane. A product
/// fills its lane; as a multiplication reads low halves only, the high halves need no clearing.
class Avx2 {
 public:
  __attribute__((target("avx2"))) static std::size_t draws(const Batch& batch,
                                                           const std::uint32_t* tokens,
                                                           std::size_t count, std::uint32_t* out) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tokens + i));
      // Even and odd tokens; the draws come back to the same places.
      const __m256i even = four(batch, eight);
      const __m256i odd = four(batch, _mm256_srli_epi64(eight, 32));
      const __m256i merged = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), merged);
    }
    return i;
  }

 private:
  __attribute__((target("avx2"), always_inline)) static __m256i all(std::uint32_t value) {
    return _mm256_set1_epi32(static_cast<int>(value));
  }
  __attribute__((target("avx2"), always_inline)) static __m256i high(__m256i product) {
    return _mm256_srli_epi64(product, 32);
  }

  __attribute__((target("avx2"), always_inline)) static __m256i four(const Batch& batch,
                                                                     __m256i token) {
    const __m256i multiplier0 = all(m0), multiplier1 = all(m1);
    const __m256i p = _mm256_mul_epu32(multiplier1, _mm256_xor_si256(token, all(batch.token_mask)));
    const __m256i q =
        _mm256_mul_epu32(multiplier0, _mm256_xor_si256(high(p), all(batch.second_mask)));
    __m256i x0 = _mm256_xor_si256(p, all(batch.third_mask)), x1 = all(batch.third_low);
    __m256i x2 = _mm256_xor_si256(high(q), all(batch.third_key)), x3 = q;
    for (int round = 3; round < 9; ++round) {
      const __m256i p0 = _mm256_mul_epu32(multiplier0, x0);
      const __m256i p1 = _mm256_mul_epu32(multiplier1, x2);
      x0 = _mm256_xor_si256(_mm256_xor_si256(high(p1), all(batch.key0[round])), x1);
      x2 = _mm256_xor_si256(_mm256_xor_si256(high(p0), all(batch.key1[round])), x3);
      x1 = p1;
      x3 = p0;
    }
    const __m256i last = high(_mm256_mul_epu32(multiplier1, x2));
    return _mm256_xor_si256(_mm256_xor_si256(last, all(batch.key0[9])), x1);
  }
};

#endif

/// Draws for the first tokens as far as vectors go; how many.
std::size_t vector_draws([[maybe_unused]] const Batch& batch,
                         [[maybe_unused]] std::span<const std::uint32_t> tokens,
                         [[maybe_unused]] std::span<std::uint32_t> out) {
#if defined(VACANCY_PHILOX_AVX2)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return Avx2::draws(batch, tokens.data(), tokens.size(), out.data());
#endif
  return 0;
}

}  // namespace

void philox_draws(PhiloxKey key, std::uint32_t sequence, std::uint32_t set, std::uint32_t round,
                  std::span<const std::uint32_t> tokens, std::span<std::uint32_t> out) {
  VACANCY_ASSERT(out.size() == tokens.size(), "one draw per token");
  const Batch batch(key, sequence, set, round);
  for (std::size_t i = vector_draws(batch, tokens, out); i < tokens.size(); ++i)
    out[i] = batch.draw(tokens[i]);
}

}  // namespace vacancy
