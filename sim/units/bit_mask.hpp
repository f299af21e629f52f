// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vacancy {

/// Bit masks live in arrays of 64-bit words: bit i is bit i % 64 of word i / 64. Bits at and above
/// the size that goes with a mask are zero.
namespace bits {

inline constexpr std::size_t per_word = 64;

constexpr std::size_t words(std::size_t size) {
  return (size + per_word - 1) / per_word;
}

constexpr bool test(std::span<const std::uint64_t> mask, std::size_t i) {
  return (mask[i / per_word] >> (i % per_word)) & 1;
}
constexpr void set(std::span<std::uint64_t> mask, std::size_t i) {
  mask[i / per_word] |= std::uint64_t{1} << (i % per_word);
}
constexpr void clear(std::span<std::uint64_t> mask, std::size_t i) {
  mask[i / per_word] &= ~(std::uint64_t{1} << (i % per_word));
}

constexpr void assign(std::span<std::uint64_t> mask, std::size_t i, bool value) {
  clear(mask, i);
  mask[i / per_word] |= std::uint64_t{value} << (i % per_word);
}

/// Bits [first, last) of one word, 0 <= first < last <= 64.
constexpr std::uint64_t word_range(std::size_t first, std::size_t last) {
  return (~std::uint64_t{0} >> (per_word - (last - first))) << first;
}

/// Calls f(word index, word mask) for the words that bits [first, last) touch.
template <class F>
constexpr void for_each_word(std::size_t first, std::size_t last, F&& f) {
  while (first < last) {
    const std::size_t word = first / per_word, start = word * per_word;
    const std::size_t end = last < start + per_word ? last : start + per_word;
    f(word, word_range(first - start, end - start));
    first = end;
  }
}

/// Sets bits [first, last).
constexpr void set_range(std::span<std::uint64_t> mask, std::size_t first, std::size_t last) {
  for_each_word(first, last, [&](std::size_t word, std::uint64_t range) { mask[word] |= range; });
}

/// Clears bits [first, last).
constexpr void clear_range(std::span<std::uint64_t> mask, std::size_t first, std::size_t last) {
  for_each_word(first, last, [&](std::size_t word, std::uint64_t range) { mask[word] &= ~range; });
}

/// Clears every bit from `first` on.
constexpr void clear_from(std::span<std::uint64_t> mask, std::size_t first) {
  clear_range(mask, first, mask.size() * per_word);
}

constexpr std::size_t count(std::span<const std::uint64_t> mask) {
  std::size_t total = 0;
  for (std::uint64_t word : mask)
    total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

/// Number of set bits in [first, last).
constexpr std::size_t count_range(std::span<const std::uint64_t> mask, std::size_t first,
                                  std::size_t last) {
  std::size_t total = 0;
  for_each_word(first, last, [&](std::size_t word, std::uint64_t range) {
    total += static_cast<std::size_t>(std::popcount(mask[word] & range));
  });
  return total;
}

/// Calls f(i) for every set bit in [first, last), ascending. f may clear bits up to i.
template <class F>
constexpr void for_each(std::span<const std::uint64_t> mask, std::size_t first, std::size_t last,
                        F&& f) {
  for_each_word(first, last, [&](std::size_t word, std::uint64_t range) {
    for (std::uint64_t left = mask[word] & range; left != 0; left &= left - 1)
      f(word * per_word + static_cast<std::size_t>(std::countr_zero(left)));
  });
}

}  // namespace bits
}  // namespace vacancy
