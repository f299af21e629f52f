// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "gui/model/marks.hpp"

namespace vacancy::gui {

/// Where column i of so many begins, in nanoseconds; column `columns` begins where the range ends.
/// Whole arithmetic: neighbours meet, and a column of a picture is the same in every view.
inline std::int64_t column_start(TimeRange range, std::size_t columns, std::size_t i) {
  const auto width = static_cast<std::uint64_t>(range.last_ns - range.first_ns);
  const std::uint64_t n = columns;
  return range.first_ns + static_cast<std::int64_t>(width / n * i + width % n * i / n);
}

}  // namespace vacancy::gui
