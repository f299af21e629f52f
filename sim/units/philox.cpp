// SPDX-License-Identifier: Apache-2.0
#include "sim/units/philox.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

#if defined(VACANCY_X86_64)
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

#if defined(VACANCY_X86_64)

// The zero-masking form of the widest multiplication is the plain instruction; the plain form warns
// in GCC 12 (bug 105593).
#define VACANCY_LANES Sse2
#define VACANCY_LANES_TARGET
#define VACANCY_LANES_BYTES 16
#define VACANCY_LANES_MULTIPLY(a, b) \
  reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)))
#include "sim/units/philox_lanes.inl"

#define VACANCY_LANES Avx2
#define VACANCY_LANES_TARGET [[gnu::target("avx2")]]
#define VACANCY_LANES_BYTES 32
#define VACANCY_LANES_MULTIPLY(a, b) \
  reinterpret_cast<Lanes>(           \
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)))
#include "sim/units/philox_lanes.inl"

#define VACANCY_LANES Avx512
#define VACANCY_LANES_TARGET [[gnu::target("avx512f")]]
#define VACANCY_LANES_BYTES 64
#define VACANCY_LANES_MULTIPLY(a, b) \
  reinterpret_cast<Lanes>(           \
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)))
#include "sim/units/philox_lanes.inl"

#endif

template <class Lanes>
bool enough_draws(const Batch& batch, std::span<const std::uint32_t> tokens,
                  std::span<std::uint32_t> out) {
  if (tokens.size() < Lanes::at_once) return false;
  Lanes::draws(batch, tokens, out);
  return true;
}

/// Draws with vectors; false if there are too few tokens to fill them.
bool vector_draws([[maybe_unused]] const Batch& batch,
                  [[maybe_unused]] std::span<const std::uint32_t> tokens,
                  [[maybe_unused]] std::span<std::uint32_t> out, [[maybe_unused]] Simd simd) {
#if defined(VACANCY_X86_64)
  switch (simd) {
    case Simd::baseline:
      return enough_draws<Sse2>(batch, tokens, out);
    case Simd::avx2:
      return enough_draws<Avx2>(batch, tokens, out);
    case Simd::avx512:
      return enough_draws<Avx512>(batch, tokens, out);
  }
#endif
  return false;
}

}  // namespace

void philox_draws(PhiloxKey key, std::uint32_t sequence, std::uint32_t set, std::uint32_t round,
                  std::span<const std::uint32_t> tokens, std::span<std::uint32_t> out, Simd simd) {
  VACANCY_ASSERT(out.size() == tokens.size(), "one draw per token");
  const Batch batch(key, sequence, set, round);
  if (vector_draws(batch, tokens, out, simd)) return;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    out[i] = batch.draw(tokens[i]);
}

}  // namespace vacancy
