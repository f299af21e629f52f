// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// When output is coloured: `automatic` on a terminal unless NO_COLOR is set (no-color.org).
enum class ColorMode { automatic, always, never };

template <>
struct EnumNames<ColorMode> {
  static constexpr EnumName<ColorMode> table[] = {
      {ColorMode::automatic, "auto"}, {ColorMode::always, "always"}, {ColorMode::never, "never"}};
};

/// Where a command writes, and what stands at the other end.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool color_welcome = true;  // NO_COLOR is not set
  std::size_t columns = 100;

  bool colored(ColorMode mode, bool is_terminal) const {
    return mode == ColorMode::always ||
           (mode == ColorMode::automatic && is_terminal && color_welcome);
  }
};

/// Standard output and standard error. Width: the terminal's, else COLUMNS, else 100.
Console standard_console();

/// Columns that UTF-8 text takes when every character is one column wide.
std::size_t display_width(std::string_view text);

/// Breaks text at blanks into lines of at most `columns`. Lines after the first start with
/// `indent`, which does not count.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

}  // namespace vacancy
