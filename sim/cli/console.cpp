// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

namespace vacancy {

namespace {

constexpr std::size_t least_columns = 40, most_columns = 400;

std::optional<std::size_t> terminal_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::optional<std::size_t> environment_columns() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  std::size_t columns = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, columns);
  if (parsed.ec != std::errc{} || parsed.ptr != end || columns == 0) return std::nullopt;
  return columns;
}

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
}

}  // namespace

Console standard_console() {
  const char* no_color = std::getenv("NO_COLOR");
  const auto columns = terminal_columns(STDOUT_FILENO);
  return {std::cout,
          std::cerr,
          isatty(STDOUT_FILENO) == 1,
          isatty(STDERR_FILENO) == 1,
          no_color == nullptr || *no_color == '\0',
          std::clamp(columns ? *columns : environment_columns().value_or(100), least_columns,
                     most_columns)};
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    std::size_t space = std::min(text.find(' '), text.size());
    if (text.substr(space).starts_with(" %"))  // a number stays with its percent sign
      space = std::min(text.find(' ', space + 1), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::size_t width = display_width(word);
    if (used > 0 && used + 1 + width > columns) {
      result += '\n';
      result += indent;
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width;
  }
  return result;
}

}  // namespace vacancy
