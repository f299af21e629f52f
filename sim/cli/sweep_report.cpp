// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep_report.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/cli/console.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/tables.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

constexpr std::size_t most_rows = 40, most_reasons = 5, most_front = 12;

/// "point 3, pool 150" and "rounds 12, state done" of such a row: names before values, those
/// without a value left out.
std::string pairs(const CellTable& table, const std::vector<std::string>& row, std::size_t first,
                  std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i)
    if (!row[i].empty()) text += (text.empty() ? "" : ", ") + table.header[i] + ' ' + row[i];
  return text;
}

/// A line a row or, where lines have no room for all columns, a block a row.
void print_table(std::ostream& out, const CellTable& table, std::size_t most, const char* where,
                 std::size_t columns) {
  out << '\n' << table.title << '\n';
  FigureTable text(table.header);
  const std::size_t rows = std::min(table.rows.size(), most);
  for (std::size_t i = 0; i < rows; ++i)
    text.add(table.rows[i]);
  if (text.width() <= columns) {
    text.print(out);
  } else {
    const std::string_view indent = "  ";
    const std::size_t room = std::max(columns, indent.size() + 1) - indent.size();
    for (std::size_t i = 0; i < rows; ++i) {
      const auto& row = table.rows[i];
      out << wrapped(pairs(table, row, 0, table.heads) + ':', room, indent) << '\n'
          << indent << wrapped(pairs(table, row, table.heads, row.size()), room, indent) << '\n';
    }
  }
  if (table.rows.size() > rows)
    out << "… " << format_count(table.rows.size() - rows) << " more rows in " << where << '\n';
}

CellTable front_table(const Sweep& sweep, const SweepResults& results) {
  CellTable table{"Pareto front", 1, {"point"}, {}};
  const auto add = [&](const auto& cell, std::vector<std::string>& row) {
    for (const auto* goals : {&sweep.pareto->maximize, &sweep.pareto->minimize})
      for (const std::size_t index : *goals)
        row.push_back(cell(index));
  };
  add([&](std::size_t index) { return heading_of(sweep.figures[index]); }, table.header);
  for (const PointResult& point : results.points) {
    if (!point.on_front) continue;
    table.rows.push_back({place_text(sweep, point.at)});
    add(
        [&](std::size_t index) {
          return figure_text(point.figures[index], sweep.figures[index].unit);
        },
        table.rows.back());
  }
  return table;
}

void print_reasons(std::ostream& out, const SweepResults& results, RunState state,
                   const std::string& title, std::size_t columns) {
  const auto all = reasons(results, state);
  if (all.empty()) return;
  out << '\n' << title << '\n';
  for (std::size_t i = 0; i < std::min(all.size(), most_reasons); ++i)
    out << wrapped("  " + counted(all[i].second, "point") + ": " + all[i].first, columns, "    ")
        << '\n';
  if (all.size() > most_reasons)
    out << "  … " << format_count(all.size() - most_reasons) << " more reasons in results.md\n";
}

SimTime time_of(double seconds) {
  return SimTime(std::llround(std::round(seconds * 1e3) * 1e6));
}

}  // namespace

void print_sweep_report(std::ostream& out, const Sweep& sweep, const SweepResults& results,
                        const SweepTiming& timing, std::size_t columns) {
  if (!sweep.description.empty()) out << wrapped(sweep.description, columns) << '\n';
  out << counted(results.points.size(), "point");
  if (sweep.runs_per_point() > 1) out << " with " << counted(sweep.runs_per_point(), "seed");
  std::string states;
  for (const auto& state : EnumNames<RunState>::table)
    if (const auto count = results.count(state.value))
      states +=
          (states.empty() ? ": " : ", ") + format_count(count) + ' ' + std::string(state.name);
  out << states << ".\n";

  for (const PivotTable& request : sweep.tables)
    for (const CellTable& table : pivot_tables(sweep, results, request))
      print_table(out, table, most_rows, "results.csv", columns);
  if (sweep.tables.empty())
    print_table(out, point_table(sweep, results), most_rows, "results.csv", columns);
  if (sweep.pareto)
    print_table(out, front_table(sweep, results), most_front, "results.md", columns);
  print_reasons(out, results, RunState::empty, "Void (–):", columns);
  print_reasons(out, results, RunState::unfinished, "Ended early (in brackets):", columns);
  print_reasons(out, results, RunState::failed, "Failed:", columns);
  if (timing.runs > 0)
    out << '\n'
        << wrapped(counted(timing.runs, "run") + " took " +
                       format_duration(time_of(timing.seconds)) +
                       " together; the slowest, of point " + std::to_string(timing.slowest_point) +
                       ", " + format_duration(time_of(timing.slowest_seconds)) + '.',
                   columns)
        << '\n';
}

}  // namespace vacancy
