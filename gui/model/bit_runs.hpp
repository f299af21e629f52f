// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/units/bit_mask.hpp"

namespace vacancy::gui {

/// The first bit in [from, last) that is as wanted; `last` if there is none.
inline std::size_t find_bit(std::span<const std::uint64_t> mask, std::size_t from, std::size_t last,
                            bool wanted) {
  while (from < last) {
    const std::uint64_t word = mask[from / bits::per_word];
    const std::uint64_t rest = (wanted ? word : ~word) >> (from % bits::per_word);
    if (rest != 0) return std::min(from + static_cast<std::size_t>(std::countr_zero(rest)), last);
    from += bits::per_word - from % bits::per_word;
  }
  return last;
}

/// Calls f(begin, end) for each run of set bits in [first, last), ascending.
template <class F>
void for_each_run(std::span<const std::uint64_t> mask, std::size_t first, std::size_t last, F&& f) {
  for (std::size_t begin = find_bit(mask, first, last, true); begin < last;) {
    const std::size_t end = find_bit(mask, begin, last, false);
    f(begin, end);
    begin = find_bit(mask, end, last, true);
  }
}

}  // namespace vacancy::gui
