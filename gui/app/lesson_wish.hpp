// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace vacancy::gui {

/// A page of a lesson.
struct LessonWish {
  std::uint32_t number = 1;
  std::optional<std::uint64_t> seed;  // the lesson's own without
  std::optional<std::size_t> step;    // from 1 on; where the last sitting ended without
  std::optional<double> answer;       // locked, in the unit of the step's question
};

}  // namespace vacancy::gui
