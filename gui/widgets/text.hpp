// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>

#include "gui/model/number_format.hpp"

namespace vacancy::gui {

/// UTF-8 as Qt has it.
inline QString text_of(std::string_view s) {
  return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}
/// "41,392"
inline QString grouped(std::uint64_t n) {
  return text_of(number(static_cast<std::int64_t>(n)));
}
/// "11.8 %" of a whole; 0 of none.
inline QString share_of(std::uint64_t part, std::uint64_t whole) {
  return text_of(percent(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole)));
}

}  // namespace vacancy::gui
