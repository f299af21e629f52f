// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/value_check.hpp"

#include "sim/scenario/overrides.hpp"
#include "sim/scenario/value_reader.hpp"

namespace vacancy {

namespace {

/// Settings that belong together, and where in the sweep file they stand.
void check(const Sweep& sweep, const std::vector<Setting>& settings, const std::string& pointer,
           Diagnostics& faults) {
  if (settings.empty()) return;
  JsonNode root = sweep.base;
  Diagnostics trial = sweep.origins;
  for (const Setting& setting : settings)
    assign(root, keys_of_path(setting.path), setting.value, trial);
  read_values(root, trial);
  for (const Diagnostics::Fault& fault : trial.faults())
    if (fault.place.origin == settings.front().value.place.origin)
      faults.add(fault.place, pointer, fault.pointer + ": " + fault.sentence);
}

void check_axis(const Sweep& sweep, const GridAxis& axis, const std::string& pointer,
                Diagnostics& faults) {
  for (const GridAxis::Value& value : axis.values)
    check(sweep, value.settings, pointer, faults);
}

/// What the law can draw: its ends, or each of its choices.
std::vector<JsonNode> extremes(const DrawnKey& key) {
  if (key.law == DrawnKey::Law::choice) return key.choices;
  const bool whole = key.law == DrawnKey::Law::integer;
  return {number_node(key.low, whole, key.place), number_node(key.high, whole, key.place)};
}

}  // namespace

void check_values(const Sweep& sweep, Diagnostics& faults) {
  if (const auto* grid = std::get_if<Grid>(&sweep.sampling))
    for (std::size_t i = 0; i < grid->axes.size(); ++i)
      check_axis(sweep, grid->axes[i], child_pointer("/axes/grid", i), faults);
  if (const auto* list = std::get_if<PointList>(&sweep.sampling))
    for (std::size_t i = 0; i < list->points.size(); ++i)
      check(sweep, list->points[i].settings, child_pointer("/axes/list", i), faults);
  if (const auto* random = std::get_if<RandomPoints>(&sweep.sampling))
    for (const DrawnKey& key : random->keys)
      for (JsonNode& value : extremes(key))
        check(sweep, {{key.path, std::move(value)}}, child_pointer("/axes/random/keys", key.path),
              faults);
}

}  // namespace vacancy
