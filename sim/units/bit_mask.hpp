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

/// Sets bits [first, last).
constexpr void set_range(std::span<std::uint64_t> mask, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last;) {
    if (i % per_word == 0 && last - i >= per_word) {
      mask[i / per_word] = ~std::uint64_t{0};
      i += per_word;
    } else {
      set(mask, i++);
    }
  }
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
  for (std::size_t i = first; i < last;) {
    const std::size_t offset = i % per_word;
    const std::size_t take = last - i < per_word - offset ? last - i : per_word - offset;
    std::uint64_t word = mask[i / per_word] >> offset;
    if (take < per_word) word &= (std::uint64_t{1} << take) - 1;
    total += static_cast<std::size_t>(std::popcount(word));
    i += take;
  }
  return total;
}

/// Calls f(i) for every set bit in [first, last), ascending.
template <class F>
constexpr void for_each(std::span<const std::uint64_t> mask, std::size_t first, std::size_t last,
                        F&& f) {
  for (std::size_t i = first; i < last;) {
    const std::size_t offset = i % per_word;
    std::uint64_t word = mask[i / per_word] >> offset;
    const std::size_t take = last - i < per_word - offset ? last - i : per_word - offset;
    if (take < per_word) word &= (std::uint64_t{1} << take) - 1;
    while (word != 0) {
      f(i + static_cast<std::size_t>(std::countr_zero(word)));
      word &= word - 1;
    }
    i += take;
  }
}

}  // namespace bits
}  // namespace vacancy
