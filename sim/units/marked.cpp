// SPDX-License-Identifier: Apache-2.0
#include "sim/units/marked.hpp"

#include <algorithm>
#include <bit>

#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

#if defined(VACANCY_X86_64)
#include <immintrin.h>
#endif

namespace vacancy {
namespace {

/// Bit j: values[j] > bound, for up to 64 values.
std::uint64_t bits_above(const std::uint32_t* values, std::size_t count, std::uint32_t bound) {
  std::uint64_t word = 0;
  for (std::size_t j = 0; j < count; ++j)
    word |= std::uint64_t{values[j] > bound} << j;
  return word;
}

#if defined(VACANCY_X86_64)

/// SSE2 compares signed, so both sides are shifted by 2^31.
std::uint64_t bits_above_64(const std::uint32_t* values, std::uint32_t bound) {
  const __m128i flip = _mm_set1_epi32(INT32_MIN);
  const __m128i limit = _mm_xor_si128(_mm_set1_epi32(static_cast<int>(bound)), flip);
  const auto above = [&](std::size_t j) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + j));
    return _mm_cmpgt_epi32(_mm_xor_si128(v, flip), limit);
  };
  std::uint64_t word = 0;
  for (std::size_t j = 0; j < 64; j += 16) {
    const __m128i low = _mm_packs_epi32(above(j), above(j + 4));
    const __m128i high = _mm_packs_epi32(above(j + 8), above(j + 12));
    const auto sixteen = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    word |= std::uint64_t{sixteen} << j;
  }
  return word;
}

[[gnu::target("avx512f,popcnt")]] std::size_t mark_above_avx512(
    std::span<const std::uint32_t> values, std::uint32_t bound,
    std::span<const std::uint64_t> except, std::span<std::uint64_t> marks) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(bound));
  std::size_t count = 0;
  for (std::size_t word = 0; word < marks.size(); ++word) {
    const std::uint32_t* const first = values.data() + word * bits::per_word;
    const std::size_t left = values.size() - word * bits::per_word;
    std::uint64_t above = 0;
    if (left >= bits::per_word) {
      for (std::size_t j = 0; j < bits::per_word; j += 16)
        above |= std::uint64_t{_mm512_cmpgt_epu32_mask(_mm512_loadu_si512(first + j), limit)} << j;
    } else {
      above = bits_above(first, left, bound);
    }
    marks[word] = above & ~except[word];
    count += static_cast<std::size_t>(__builtin_popcountll(marks[word]));
  }
  return count;
}

[[gnu::target("avx512f,popcnt")]] std::size_t close_ranks_avx512(
    std::span<std::uint32_t> values, std::span<const std::uint64_t> marks, std::size_t first) {
  std::size_t i = first - first % 16;
  std::uint32_t* next = values.data() + i;
  for (std::uint64_t below = (1u << (first % 16)) - 1; i < values.size(); i += 16, below = 0) {
    const std::uint64_t stay = marks[i / bits::per_word] >> (i % bits::per_word) | below;
    const auto lanes = static_cast<__mmask16>(stay);
    const std::size_t left = values.size() - i;
    const auto inside = static_cast<__mmask16>(left < 16 ? (1u << left) - 1 : 0xFFFFu);
    const __m512i all = _mm512_maskz_loadu_epi32(inside, values.data() + i);
    // As many values are stored as were read: the store ends before the first one not read yet.
    _mm512_mask_storeu_epi32(next, inside, _mm512_maskz_compress_epi32(lanes, all));
    next += __builtin_popcount(lanes);
  }
  return static_cast<std::size_t>(next - values.data());
}

#else

std::uint64_t bits_above_64(const std::uint32_t* values, std::uint32_t bound) {
  return bits_above(values, 64, bound);
}

#endif

}  // namespace

std::size_t mark_above(std::span<const std::uint32_t> values, std::uint32_t bound,
                       std::span<const std::uint64_t> except, std::span<std::uint64_t> marks,
                       [[maybe_unused]] Simd simd) {
  VACANCY_ASSERT(marks.size() == bits::words(values.size()) && except.size() == marks.size(),
                 "masks are as long as the values");
#if defined(VACANCY_X86_64)
  if (simd == Simd::avx512) return mark_above_avx512(values, bound, except, marks);
#endif
  std::size_t count = 0;
  for (std::size_t word = 0; word < marks.size(); ++word) {
    const std::size_t first = word * bits::per_word, left = values.size() - first;
    const std::uint64_t above = left >= bits::per_word
                                    ? bits_above_64(values.data() + first, bound)
                                    : bits_above(values.data() + first, left, bound);
    marks[word] = above & ~except[word];
    count += static_cast<std::size_t>(std::popcount(marks[word]));
  }
  return count;
}

std::size_t close_ranks(std::span<std::uint32_t> values, std::span<const std::uint64_t> marks,
                        std::size_t first, [[maybe_unused]] Simd simd) {
  VACANCY_ASSERT(marks.size() == bits::words(values.size()) && first <= values.size(),
                 "the mask is as long as the values");
#if defined(VACANCY_X86_64)
  if (simd == Simd::avx512) return close_ranks_avx512(values, marks, first);
#endif
  std::size_t next = first;
  for (std::size_t i = first; i < values.size();) {
    std::uint64_t left = marks[i / bits::per_word] >> (i % bits::per_word);
    const std::size_t end = std::min(values.size(), (i / bits::per_word + 1) * bits::per_word);
    for (; i < end; ++i, left >>= 1) {  // no branch: marks are scattered
      values[next] = values[i];
      next += left & 1;
    }
  }
  return next;
}

}  // namespace vacancy
