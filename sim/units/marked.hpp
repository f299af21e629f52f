// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/units/simd.hpp"

namespace vacancy {

// Arrays of 32-bit values and bit masks over them: bit i of `marks` speaks for values[i].

/// Marks the values above the bound, but for those that `except` names, and returns how many.
std::size_t mark_above(std::span<const std::uint32_t> values, std::uint32_t bound,
                       std::span<const std::uint64_t> except, std::span<std::uint64_t> marks,
                       Simd simd = widest_simd());

/// From `first` on only the marked values stay and close ranks; returns how many values there are
/// then, those below `first` included. What is left behind them is of no use.
std::size_t close_ranks(std::span<std::uint32_t> values, std::span<const std::uint64_t> marks,
                        std::size_t first, Simd simd = widest_simd());

}  // namespace vacancy
