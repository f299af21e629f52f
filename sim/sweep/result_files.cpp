// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/result_files.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/json/json_text.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/tables.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

using Json = nlohmann::ordered_json;

/// A whole number stays one.
Json number_json(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (*value == std::floor(*value) && std::abs(*value) < 0x1p53)
    return static_cast<std::int64_t>(*value);
  return *value;
}

std::string csv_number(const std::optional<double>& value) {
  return value ? number_json(value).dump() : "";
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

bool has_replicates(const Sweep& sweep) {
  return sweep.runs_per_point() > 1;
}

Json point_json(const Sweep& sweep, const SweepResults& results, const PointResult& point) {
  Json at = Json::object(), figures = Json::object();
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    const Coordinate& coordinate = point.at[i];
    at[sweep.axes[i]] = coordinate.number         ? number_json(coordinate.number)
                        : coordinate.text.empty() ? Json(nullptr)
                                                  : Json(coordinate.text);
  }
  for (std::size_t i = 0; i < sweep.figures.size(); ++i) {
    if (!results.shown[i]) continue;
    const Spread& spread = point.figures[i];
    figures[sweep.figures[i].key] = {{"mean", number_json(spread.mean)},
                                     {"sd", number_json(spread.deviation)},
                                     {"count", spread.count}};
  }
  Json json{
      {"point", point.point}, {"at", std::move(at)},          {"state", enum_name(point.state)},
      {"runs", point.runs},   {"completed", point.completed}, {"figures", std::move(figures)}};
  if (sweep.pareto) json["pareto"] = point.on_front;
  if (!point.reason.empty()) json["reason"] = point.reason;
  return json;
}

/// Text in a table cell or a line.
std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

void add_table(const CellTable& table, std::string& out) {
  out += "\n## " + markdown_text(table.title) + "\n\n|";
  for (const std::string& cell : table.header)
    out += ' ' + markdown_text(cell) + " |";
  out += "\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i)
    out += i < table.heads ? "---|" : "---:|";
  out += '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (const std::string& cell : row)
      out += ' ' + markdown_text(cell) + " |";
    out += '\n';
  }
}

void add_reasons(const SweepResults& results, RunState state, const std::string& title,
                 std::string& out) {
  const auto all = reasons(results, state);
  if (all.empty()) return;
  out += "\n## " + title + "\n\n";
  for (const auto& [reason, count] : all)
    out += "- " + counted(count, "point") + ": " + markdown_text(reason) + '\n';
}

std::string goals_text(const Sweep& sweep) {
  std::string text;
  const auto add = [&](const std::vector<std::size_t>& figures, const char* verb) {
    for (const std::size_t index : figures)
      text += (text.empty() ? "" : ", ") + std::string(verb) + ' ' + sweep.figures[index].key;
  };
  add(sweep.pareto->maximize, "most");
  add(sweep.pareto->minimize, "least");
  return text;
}

}  // namespace

std::string results_csv(const Sweep& sweep, const SweepResults& results) {
  std::string out = "point";
  for (const std::string& axis : sweep.axes)
    out += ',' + csv_text(axis);
  out += ",state,runs,completed";
  for (std::size_t i = 0; i < sweep.figures.size(); ++i)
    if (results.shown[i]) {
      out += ',' + sweep.figures[i].key;
      if (has_replicates(sweep)) out += ',' + sweep.figures[i].key + ".sd";
    }
  out += sweep.pareto ? ",pareto,reason\n" : ",reason\n";
  for (const PointResult& point : results.points) {
    out += std::to_string(point.point);
    for (const Coordinate& at : point.at)
      out += ',' + csv_text(at.text);
    out += ',' + std::string(enum_name(point.state)) + ',' + std::to_string(point.runs) + ',' +
           std::to_string(point.completed);
    for (std::size_t i = 0; i < sweep.figures.size(); ++i)
      if (results.shown[i]) {
        out += ',' + csv_number(point.figures[i].mean);
        if (has_replicates(sweep)) out += ',' + csv_number(point.figures[i].deviation);
      }
    if (sweep.pareto) out += point.on_front ? ",1" : ",0";
    out += ',' + csv_text(point.reason) + '\n';
  }
  return out;
}

std::string results_json(const Sweep& sweep, const SweepResults& results) {
  Json figures = Json::array(), points = Json::array();
  for (std::size_t i = 0; i < sweep.figures.size(); ++i)
    if (results.shown[i])
      figures.push_back({{"key", sweep.figures[i].key}, {"unit", sweep.figures[i].unit}});
  for (const PointResult& point : results.points)
    points.push_back(point_json(sweep, results, point));
  return json_text(Json{{"description", sweep.description},
                        {"axes", sweep.axes},
                        {"seeds", sweep.seeds.empty() ? Json(nullptr) : Json(sweep.seeds)},
                        {"figures", std::move(figures)},
                        {"points", std::move(points)}});
}

std::string results_markdown(const Sweep& sweep, const SweepResults& results) {
  std::string out = "# " + markdown_text(sweep.description.empty() ? "A sweep" : sweep.description);
  out += "\n\n" + counted(results.points.size(), "point");
  if (has_replicates(sweep))
    out += ", each the mean over " + counted(sweep.seeds.size(), "seed") +
           " ± the standard deviation of the sample";
  for (const auto& state : EnumNames<RunState>::table)
    if (const auto count = results.count(state.value))
      out += (state.value == RunState::done ? ": " : ", ") + format_count(count) + ' ' +
             std::string(state.name);
  out +=
      ". A dash is a combination that means nothing, or a figure that it does not have; brackets "
      "are a run that ended early.\n";

  if (sweep.pareto) {
    out += "\n## Pareto front\n\n" + markdown_text("Marked *: " + goals_text(sweep)) + ".\n\n";
    for (const PointResult& point : results.points) {
      if (!point.on_front) continue;
      out += "- " + markdown_text(place_text(sweep, point.at)) + ": ";
      std::string figures;
      for (const auto* goals : {&sweep.pareto->maximize, &sweep.pareto->minimize})
        for (const std::size_t index : *goals)
          figures += (figures.empty() ? "" : ", ") + sweep.figures[index].key + ' ' +
                     figure_text(point.figures[index], sweep.figures[index].unit);
      out += markdown_text(figures) + '\n';
    }
  }
  for (const PivotTable& request : sweep.tables)
    for (const CellTable& table : pivot_tables(sweep, results, request))
      add_table(table, out);
  add_reasons(results, RunState::empty, "Void points", out);
  add_reasons(results, RunState::unfinished, "Points that ended early", out);
  add_reasons(results, RunState::failed, "Points that failed", out);
  add_table(point_table(sweep, results), out);
  return out;
}

}  // namespace vacancy
