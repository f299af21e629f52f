// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/views_reader.hpp"

#include <algorithm>
#include <set>

#include "sim/metrics/summary_keys.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

/// Of sequences in lockstep, then of engines.
constexpr const char* default_figures[] = {"reclaim.reclaim_efficiency",
                                           "reclaim.evicted_tokens",
                                           "reclaim.blocks_freed_by_eviction",
                                           "reclaim.bytes_moved",
                                           "memory.kv_peak_blocks",
                                           "memory.hole_ratio.mean",
                                           "quality.retained_attention_mass",
                                           "serving.preemptions",
                                           "serving.hit_ratio_blocks",
                                           "latency.ttft.mean",
                                           "latency.tpot.mean",
                                           "throughput.output_tokens_per_second"};

class ViewsReader {
 public:
  ViewsReader(ObjectAt& file, Sweep& sweep, Diagnostics& faults)
      : file_(file), sweep_(sweep), faults_(faults) {}

  void read() {
    read_figures();
    read_skip();
    read_pareto();
    read_tables();
    read_plots();
  }

 private:
  // Each gives nothing, and leaves a fault in `object`, where the name is none.

  std::optional<std::size_t> axis(ObjectAt& object, const char* key, const std::string& name) {
    const auto found = std::ranges::find(sweep_.axes, name);
    if (found != sweep_.axes.end()) return static_cast<std::size_t>(found - sweep_.axes.begin());
    object.fault(key, in_quotes(name) + " is no axis of this sweep." +
                          did_you_mean(name, sweep_.axes) + listed_axes());
    return std::nullopt;
  }

  /// Figures that a view asks for become columns.
  std::optional<std::size_t> figure(ObjectAt& object, const char* key, const std::string& name) {
    const auto known = std::ranges::find(sweep_.figures, name, &Figure::key);
    if (known != sweep_.figures.end())
      return static_cast<std::size_t>(known - sweep_.figures.begin());
    const auto& all = summary_keys();
    const auto found = std::ranges::find(all, name, &SummaryKey::key);
    if (found == all.end()) {
      object.fault(key, in_quotes(name) + " is no figure of a summary." +
                            did_you_mean(name, names_of_figures()) +
                            " docs/formats/summary.md lists them.");
      return std::nullopt;
    }
    sweep_.figures.push_back({found->key, std::string(found->unit)});
    return sweep_.figures.size() - 1;
  }

  std::vector<std::size_t> axes(ObjectAt& object, const char* key) {
    std::vector<std::size_t> result;
    for (const std::string& name : object.read().texts(key))
      if (const auto index = axis(object, key, name)) {
        if (std::ranges::find(result, *index) != result.end())
          object.fault(key, in_quotes(name) + " stands twice; remove one.");
        result.push_back(*index);
      }
    return result;
  }

  std::vector<std::size_t> figures(ObjectAt& object, const char* key) {
    std::vector<std::size_t> result;
    for (const std::string& name : object.read().texts(key))
      if (const auto index = figure(object, key, name)) {
        if (std::ranges::find(result, *index) != result.end())
          object.fault(key, in_quotes(name) + " stands twice; remove one.");
        result.push_back(*index);
      }
    return result;
  }

  std::string listed_axes() const {
    std::string text = " Axes:";
    for (const std::string& name : sweep_.axes)
      text += (text.ends_with(':') ? " " : ", ") + name;
    return text + '.';
  }

  static std::vector<std::string_view> names_of_figures() {
    std::vector<std::string_view> names;
    for (const SummaryKey& key : summary_keys())
      names.push_back(key.key);
    return names;
  }

  void read_figures() {
    sweep_.default_figures = !file_.has("figures");
    if (!sweep_.default_figures) {
      if (file_.list("figures", "keys of the summary")) figures(file_, "figures");
      return;
    }
    for (const char* key : default_figures)
      figure(file_, "figures", key);
  }

  void read_skip() {
    const JsonNode* list = file_.list("skip", "combinations");
    if (!list) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const std::string pointer = child_pointer(file_.pointer("skip"), i);
      ObjectAt object(list->items[i], pointer, "skip[]", faults_);
      SkipRule rule;
      rule.reason = object.read().label("reason", "Left out by the sweep file.");
      const JsonNode* where = object.find("where");
      if (!where || where->kind != Kind::object || where->members.empty()) {
        object.fault("where",
                     "expected an object of axes and their values, such as "
                     "{\"policy\": \"full\"}.");
        continue;
      }
      for (const JsonMember& member : where->members)
        if (const auto index = axis(object, "where", member.key))
          rule.where.push_back(condition(object, *index, member.value));
      sweep_.skip.push_back(std::move(rule));
    }
  }

  SkipRule::Condition condition(ObjectAt& object, std::size_t index, const JsonNode& value) {
    SkipRule::Condition result{index, {}};
    if (value.kind == Kind::array)
      for (const JsonNode& item : value.items)
        result.texts.push_back(coordinate_of(item).text);
    else
      result.texts.push_back(coordinate_of(value).text);
    const auto* grid = std::get_if<Grid>(&sweep_.sampling);
    if (!grid) return result;
    std::vector<std::string> known;
    for (const auto& each : grid->axes[index].values)
      known.push_back(each.at.text);
    for (const std::string& text : result.texts)
      if (std::ranges::find(known, text) == known.end())
        object.fault("where", in_quotes(text) + " is no value of the axis " +
                                  in_quotes(sweep_.axes[index]) + '.' + did_you_mean(text, known));
    return result;
  }

  void read_pareto() {
    const JsonNode* node = file_.find("pareto");
    if (!node) return;
    ObjectAt object(*node, file_.pointer("pareto"), "pareto", faults_);
    ParetoGoals goals{figures(object, "maximize"), figures(object, "minimize")};
    if (goals.maximize.size() + goals.minimize.size() < 2)
      object.fault("needs two figures or more, in maximize and minimize together.");
    for (const std::size_t index : goals.minimize)
      if (std::ranges::find(goals.maximize, index) != goals.maximize.end())
        object.fault("minimize",
                     sweep_.figures[index].key + " is to be maximized too; remove one of the two.");
    sweep_.pareto = std::move(goals);
  }

  void read_tables() {
    const auto* grid = std::get_if<Grid>(&sweep_.sampling);
    if (!file_.has("tables")) {
      const std::size_t count = sweep_.axes.size();
      if (grid && count >= 2 && !sweep_.figures.empty()) {
        PivotTable table{sweep_.figures[0].key, {0}, {1}, 0};
        for (std::size_t i = 2; i < std::min<std::size_t>(count, 3); ++i)
          table.rows.push_back(i);
        sweep_.tables.push_back(std::move(table));
      }
      return;
    }
    const JsonNode* list = file_.list("tables", "tables");
    if (!list) return;
    if (!grid) {
      file_.fault("tables", "pivot tables need the axes of a grid. Use axes.grid, or remove them.");
      return;
    }
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      ObjectAt object(list->items[i], child_pointer(file_.pointer("tables"), i), "tables[]",
                      faults_);
      PivotTable table;
      table.rows = axes(object, "rows");
      table.columns = axes(object, "columns");
      for (const char* key : {"rows", "columns"})
        if (!object.read().has(key)) object.fault(key, "is missing; it must be a list of axes.");
      for (const std::size_t index : table.columns)
        if (std::ranges::find(table.rows, index) != table.rows.end())
          object.fault("columns",
                       in_quotes(sweep_.axes[index]) + " stands in the rows already; remove one.");
      const std::string value = object.read().text("value");
      if (!object.has("value"))
        object.fault("value", "is missing; it must be a figure.");
      else if (const auto index = figure(object, "value", value))
        table.value = *index;
      table.title = object.read().label("title", value);
      sweep_.tables.push_back(std::move(table));
    }
  }

  void read_plots() {
    const JsonNode* list = file_.list("plots", "plots");
    if (!list) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      ObjectAt object(list->items[i], child_pointer(file_.pointer("plots"), i), "plots[]", faults_);
      if (list->items[i].kind == Kind::object) read_plot(object);
    }
  }

  void read_plot(ObjectAt& object) {
    PlotRequest plot;
    const std::string x = object.read().text("x"), y = object.read().text("y");
    for (const char* key : {"x", "y"})
      if (!object.has(key))
        object.fault(key, std::string("is missing; it must be ") +
                              (*key == 'x' ? "an axis or a figure." : "a figure."));
    const auto found = std::ranges::find(sweep_.axes, x);
    if (found != sweep_.axes.end())
      plot.x_axis = static_cast<std::size_t>(found - sweep_.axes.begin());
    else if (object.has("x"))
      plot.x_figure = x_figure(object, x);
    if (object.has("y"))
      if (const auto index = figure(object, "y", y)) plot.y = *index;
    plot.series = object.has("series") ? axes(object, "series") : other_axes(plot.x_axis);
    check_series(object, plot);
    plot.log_x = object.read().boolean("log_x").value_or(false);
    plot.log_y = object.read().boolean("log_y").value_or(false);
    if (plot.log_x && plot.x_axis && !numeric(*plot.x_axis))
      object.fault("log_x",
                   "the values of the axis " + in_quotes(x) + " are not all numbers; remove it.");
    plot.title = object.read().label("title", y + " by " + x);
    sweep_.plots.push_back(std::move(plot));
  }

  std::size_t x_figure(ObjectAt& object, const std::string& name) {
    auto names = names_of_figures();
    if (std::ranges::find(names, name) != names.end()) return figure(object, "x", name).value_or(0);
    names.insert(names.begin(), sweep_.axes.begin(), sweep_.axes.end());
    object.fault("x", in_quotes(name) + " is neither an axis of this sweep nor a figure." +
                          did_you_mean(name, names) + listed_axes());
    return 0;
  }

  std::vector<std::size_t> other_axes(std::optional<std::size_t> x) const {
    std::vector<std::size_t> result;
    if (!std::holds_alternative<Grid>(sweep_.sampling)) return result;
    for (std::size_t i = 0; i < sweep_.axes.size(); ++i)
      if (i != x) result.push_back(i);
    return result;
  }

  /// A line joins points that differ along x alone.
  void check_series(ObjectAt& object, const PlotRequest& plot) {
    const auto* grid = std::get_if<Grid>(&sweep_.sampling);
    if (!plot.x_axis) return;
    if (std::ranges::find(plot.series, *plot.x_axis) != plot.series.end())
      object.fault("series",
                   in_quotes(sweep_.axes[*plot.x_axis]) + " is the x axis already; remove it.");
    if (!grid) return;
    for (std::size_t i = 0; i < grid->axes.size(); ++i)
      if (i != *plot.x_axis && grid->axes[i].values.size() > 1 &&
          std::ranges::find(plot.series, i) == plot.series.end())
        object.fault("series", "the axis " + in_quotes(sweep_.axes[i]) +
                                   " is neither x nor in series, so that its points would stand on "
                                   "one another; add it to series.");
  }

  bool numeric(std::size_t axis) const {
    if (const auto* grid = std::get_if<Grid>(&sweep_.sampling))
      return std::ranges::all_of(grid->axes[axis].values,
                                 [](const auto& value) { return value.at.number.has_value(); });
    if (const auto* list = std::get_if<PointList>(&sweep_.sampling))
      return std::ranges::all_of(
          list->points, [&](const auto& point) { return point.at[axis].number.has_value(); });
    const DrawnKey& key = std::get<RandomPoints>(sweep_.sampling).keys[axis];
    return std::ranges::all_of(
        key.choices, [](const JsonNode& node) { return coordinate_of(node).number.has_value(); });
  }

  ObjectAt& file_;
  Sweep& sweep_;
  Diagnostics& faults_;
};

}  // namespace

void read_views(ObjectAt& file, Sweep& sweep, Diagnostics& faults) {
  ViewsReader(file, sweep, faults).read();
}

}  // namespace vacancy
