// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/text_table.hpp"

#include <algorithm>
#include <numeric>

#include "sim/cli/console.hpp"

namespace vacancy {

namespace {

constexpr std::size_t gap = 2;  // between columns

}  // namespace

std::vector<std::size_t> FigureTable::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::size_t FigureTable::width() const {
  const auto all = widths();
  return std::accumulate(all.begin(), all.end(), gap * (std::max<std::size_t>(all.size(), 1) - 1));
}

void FigureTable::print(std::ostream& out) const {
  const auto widths = this->widths();
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += i == 0 ? row[i] + blanks : std::string(gap, ' ') + blanks + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

void NameTable::print(std::ostream& out, std::size_t columns, std::size_t indent) const {
  constexpr std::size_t widest_name = 26, narrowest_text = 30;
  std::size_t widest = 0;
  for (const Row& row : rows_)
    if (display_width(row.name) <= widest_name) widest = std::max(widest, display_width(row.name));
  const std::string margin(indent, ' ');
  const std::string text_margin(indent + widest + 2, ' ');
  for (const Row& row : rows_) {
    const std::size_t width = display_width(row.name);
    out << margin << row.name;
    // A name too long for the column has its line for itself.
    if (width > widest)
      out << '\n' << text_margin;
    else
      out << std::string(widest + 2 - width, ' ');
    const std::size_t room = std::max(columns, text_margin.size() + narrowest_text);
    out << wrapped(row.text, room - text_margin.size(), text_margin) << '\n';
  }
}

}  // namespace vacancy
