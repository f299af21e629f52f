// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/tables.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/sweep/figure_text.hpp"

namespace vacancy {

namespace {

std::string cell_of(const PointResult& point, std::size_t figure, const std::string& unit) {
  if (point.state == RunState::empty) return "–";
  std::string text = figure_text(point.figures[figure], unit);
  if (point.completed == 0 && point.figures[figure].mean) text = '(' + text + ')';
  return point.on_front ? text + " *" : text;
}

/// Where points stand on some axes, in the order in which they first come up.
class Combinations {
 public:
  explicit Combinations(const std::vector<std::size_t>& axes) : axes_(axes) {}

  std::size_t index(const PointResult& point) {
    std::vector<std::string> texts;
    for (const std::size_t axis : axes_)
      texts.push_back(point.at[axis].text);
    const auto [found, is_new] = known_.emplace(texts, all_.size());
    if (is_new) all_.push_back(std::move(texts));
    return found->second;
  }
  const std::vector<std::vector<std::string>>& all() const { return all_; }

 private:
  const std::vector<std::size_t>& axes_;
  std::map<std::vector<std::string>, std::size_t> known_;
  std::vector<std::vector<std::string>> all_;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts)
    result += (result.empty() ? "" : " · ") + text;
  return result;
}

std::vector<std::size_t> axes_left(const Sweep& sweep, const PivotTable& request) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i)
    if (std::ranges::find(request.rows, i) == request.rows.end() &&
        std::ranges::find(request.columns, i) == request.columns.end())
      left.push_back(i);
  return left;
}

}  // namespace

CellTable point_table(const Sweep& sweep, const SweepResults& results) {
  CellTable table{"All points", 1 + sweep.axes.size(), {"point"}, {}};
  table.header.insert(table.header.end(), sweep.axes.begin(), sweep.axes.end());
  for (std::size_t i = 0; i < sweep.figures.size(); ++i)
    if (results.shown[i]) table.header.push_back(heading_of(sweep.figures[i]));
  table.header.push_back("state");
  for (const PointResult& point : results.points) {
    std::vector<std::string> row{std::to_string(point.point) + (point.on_front ? " *" : "")};
    for (const Coordinate& at : point.at)
      row.push_back(at.text);
    for (std::size_t i = 0; i < sweep.figures.size(); ++i)
      if (results.shown[i]) row.push_back(figure_text(point.figures[i], sweep.figures[i].unit));
    row.emplace_back(enum_name(point.state));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<CellTable> pivot_tables(const Sweep& sweep, const SweepResults& results,
                                    const PivotTable& request) {
  const auto left = axes_left(sweep, request);
  Combinations pages(left), rows(request.rows), columns(request.columns);
  struct Cell {
    std::size_t page, row, column;
    std::string text;
  };
  std::vector<Cell> cells;
  for (const PointResult& point : results.points)
    cells.push_back({pages.index(point), rows.index(point), columns.index(point),
                     cell_of(point, request.value, sweep.figures[request.value].unit)});

  std::vector<CellTable> tables;
  for (const auto& page : pages.all()) {
    CellTable table{request.title, request.rows.size(), {}, {}};
    for (std::size_t i = 0; i < left.size(); ++i)
      table.title += (i == 0 ? ": " : ", ") + sweep.axes[left[i]] + ' ' + page[i];
    for (const std::size_t axis : request.rows)
      table.header.push_back(sweep.axes[axis]);
    for (const auto& column : columns.all())
      table.header.push_back(joined(column));
    for (const auto& row : rows.all()) {
      table.rows.push_back(row);
      table.rows.back().resize(row.size() + columns.all().size());
    }
    tables.push_back(std::move(table));
  }
  for (Cell& cell : cells)
    tables[cell.page].rows[cell.row][request.rows.size() + cell.column] = std::move(cell.text);
  return tables;
}

std::vector<std::pair<std::string, std::uint64_t>> reasons(const SweepResults& results,
                                                           RunState state) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const PointResult& point : results.points) {
    if (point.state != state) continue;
    const auto known = std::ranges::find(all, point.reason, [](const auto& e) { return e.first; });
    if (known == all.end())
      all.emplace_back(point.reason, 1);
    else
      ++known->second;
  }
  return all;
}

std::string place_text(const Sweep& sweep, const std::vector<Coordinate>& at) {
  std::string text;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!at[i].text.empty()) text += (text.empty() ? "" : ", ") + sweep.axes[i] + ' ' + at[i].text;
  return text;
}

}  // namespace vacancy
