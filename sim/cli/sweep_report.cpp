// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep_report.hpp"

#include <algorithm>
#include <cmath>

#include "sim/cli/console.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/tables.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

constexpr std::size_t most_rows = 40, most_reasons = 5, most_front = 12;

void print_table(std::ostream& out, const CellTable& table, std::size_t columns) {
  FigureTable text(table.header);
  for (std::size_t i = 0; i < std::min(table.rows.size(), most_rows); ++i)
    text.add(table.rows[i]);
  out << '\n' << table.title << '\n';
  if (text.width() > columns) {
    out << "is too wide for here; results.md has it.\n";
    return;
  }
  text.print(out);
  if (table.rows.size() > most_rows)
    out << "… " << format_count(table.rows.size() - most_rows) << " more rows in results.md\n";
}

void print_front(std::ostream& out, const Sweep& sweep, const SweepResults& results) {
  if (!sweep.pareto) return;
  FigureTable table([&] {
    std::vector<std::string> header{"Pareto front"};
    for (const auto* goals : {&sweep.pareto->maximize, &sweep.pareto->minimize})
      for (const std::size_t index : *goals)
        header.push_back(heading_of(sweep.figures[index]));
    return header;
  }());
  std::size_t rows = 0;
  for (const PointResult& point : results.points) {
    if (!point.on_front || ++rows > most_front) continue;
    std::vector<std::string> row{place_text(sweep, point.at)};
    for (const auto* goals : {&sweep.pareto->maximize, &sweep.pareto->minimize})
      for (const std::size_t index : *goals)
        row.push_back(figure_text(point.figures[index], sweep.figures[index].unit));
    table.add(std::move(row));
  }
  out << '\n';
  table.print(out);
  if (rows > most_front) out << "… " << format_count(rows - most_front) << " more in results.md\n";
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
      print_table(out, table, columns);
  if (sweep.tables.empty()) print_table(out, point_table(sweep, results), columns);
  print_front(out, sweep, results);
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
