// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/lesson/lesson.hpp"

namespace vacancy {

/// What a reader says: a number in the figure's unit, or blocks, ascending.
struct LessonAnswer {
  double value = 0;
  std::vector<std::uint32_t> blocks;
};

/// "700 blocks", "90 %": as sentences have it.
std::string with_unit(double value, std::string_view unit);

/// "You said 90 %. The pool returned 11.8 %: 78.2 percentage points less than you expected."
std::string gap_sentence(const LessonQuestion& question, std::string_view unit, double answer,
                         double truth);
/// The same for blocks: how many were right, wrong and missed.
std::string gap_sentence(const LessonQuestion& question, const std::vector<std::uint32_t>& answer,
                         const std::vector<std::uint32_t>& truth);

bool is_right(const LessonQuestion& question, double answer, double truth);

}  // namespace vacancy
