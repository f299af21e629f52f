// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/axes_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "sim/scenario/overrides.hpp"
#include "sim/sweep/object_at.hpp"
#include "sim/sweep/range_values.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/units/format.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

/// Whether one of two dotted paths leads into the other.
bool overlap(const std::string& a, const std::string& b) {
  const auto within = [](const std::string& outer, const std::string& inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  return within(a, b) || within(b, a);
}

/// False after a fault.
bool check_path(const std::string& path, Place place, const std::string& pointer,
                Diagnostics& faults) {
  if (!keys_of_path(path).empty()) return true;
  faults.add(
      place, pointer,
      in_quotes(path) + " has an empty part; a key of the scenario is written as eviction.budget.");
  return false;
}

/// Paths that would be set by two axes at once.
void refuse_overlaps(const std::vector<GridAxis>& axes, const std::string& pointer,
                     Diagnostics& faults) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto clash = [&]() -> const Setting* {
        for (const auto& value : axes[i].values)
          for (const Setting& setting : value.settings)
            for (const auto& other : axes[j].values)
              for (const Setting& earlier : other.settings)
                if (overlap(setting.path, earlier.path)) return &setting;
        return nullptr;
      }();
      const std::string axis = child_pointer(pointer, i);
      if (clash)
        faults.add(clash->value.place, axis,
                   clash->path + " is set by the axis " + in_quotes(axes[j].name) +
                       " too; set a key on one axis only.");
      else if (axes[i].name == axes[j].name && !axes[i].values.empty())
        faults.add(axes[i].values.front().settings.empty()
                       ? Place{}
                       : axes[i].values.front().settings.front().value.place,
                   axis, in_quotes(axes[i].name) + " is the name of two axes; rename one.");
    }
}

/// Values that stand twice, by what they are called.
template <class Values>
void refuse_doubles(const Values& values, Place place, const std::string& pointer,
                    const std::string& what, Diagnostics& faults) {
  std::set<std::string> seen;
  for (const auto& value : values)
    if (!seen.insert(value.at.text).second)
      faults.add(place, pointer,
                 "the " + what + ' ' + in_quotes(value.at.text) + " stands twice; remove one.");
}

std::vector<GridAxis::Value> values_of_key(const std::string& path,
                                           const std::vector<JsonNode>& nodes) {
  std::vector<GridAxis::Value> values;
  for (const JsonNode& node : nodes)
    values.push_back({coordinate_of(node), {{path, node}}});
  return values;
}

std::vector<GridAxis::Value> read_choices(ObjectAt& axis, const JsonNode& choices,
                                          Diagnostics& faults) {
  std::vector<GridAxis::Value> values;
  for (std::size_t i = 0; i < choices.items.size(); ++i) {
    const std::string pointer = child_pointer(axis.pointer("choices"), i);
    ObjectAt choice(choices.items[i], pointer, "axes.grid[].choices[]", faults);
    if (choices.items[i].kind != Kind::object) continue;
    GridAxis::Value value;
    if (!choice.has("label")) choice.fault("label", "is missing; it must be a text.");
    value.at.text = choice.read().label("label", "");
    if (const JsonNode* set = choice.find("set"))
      value.settings = read_settings(*set, choice.pointer("set"), faults);
    else
      choice.fault("set",
                   "is missing; it must be an object of dotted paths and values, {} for "
                   "the scenario as it is.");
    values.push_back(std::move(value));
  }
  refuse_doubles(values, choices.place, axis.pointer("choices"), "label", faults);
  return values;
}

GridAxis read_axis(const JsonNode& node, const std::string& pointer, Diagnostics& faults) {
  ObjectAt axis(node, pointer, "axes.grid[]", faults);
  GridAxis result;
  if (node.kind != Kind::object) return result;
  const std::string path = axis.read().text("key");
  result.name = axis.read().label("name", path);
  constexpr std::array range_keys{"from", "to", "step", "factor", "log_steps"};
  const bool is_range =
      std::ranges::any_of(range_keys, [&](const char* key) { return axis.has(key); });
  const int kinds = int{axis.has("values")} + int{is_range} + int{axis.has("choices")};
  if (kinds != 1) {
    axis.fault(kinds == 0 ? "has no values. Give it values, a range (from, to, and step, factor or "
                            "log_steps), or choices."
                          : "has its values from more than one of values, a range (from, to …) and "
                            "choices; keep one of them.");
    return result;
  }
  if (const JsonNode* choices = axis.find("choices")) {
    if (axis.has("key"))
      axis.fault("key", "has no use beside choices, which name the keys that they set; remove it.");
    if (!axis.has("name")) axis.fault("name", "is missing; an axis of choices needs one.");
    if (axis.list("choices", "choices")) result.values = read_choices(axis, *choices, faults);
    return result;
  }
  if (!axis.has("key")) {
    axis.fault("key", "is missing; it names the key of the scenario, such as eviction.budget.");
    return result;
  }
  if (axis.find("key")->kind != Kind::text ||
      !check_path(path, axis.find("key")->place, axis.pointer("key"), faults))
    return result;
  if (const JsonNode* values = axis.find("values")) {
    if (axis.list("values", "values")) result.values = values_of_key(path, values->items);
    refuse_doubles(result.values, values->place, axis.pointer("values"), "value", faults);
  } else {
    result.values = values_of_key(path, range_values(axis));
  }
  return result;
}

Grid read_grid(ObjectAt& axes, Diagnostics& faults) {
  Grid grid;
  const JsonNode* list = axes.list("grid", "axes");
  if (!list) return grid;
  const std::string pointer = axes.pointer("grid");
  double points = 1;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    grid.axes.push_back(read_axis(list->items[i], child_pointer(pointer, i), faults));
    points *= static_cast<double>(grid.axes.back().values.size());
  }
  if (points > static_cast<double>(max_sweep_points))
    axes.fault("grid", "has " + format_decimal(points, 0) + " combinations, more than " +
                           format_count(max_sweep_points) +
                           ". Take fewer values, or draw points with random.");
  refuse_overlaps(grid.axes, pointer, faults);
  return grid;
}

PointList read_list(ObjectAt& axes, Diagnostics& faults) {
  PointList result;
  const JsonNode* list = axes.list("list", "points");
  if (!list) return result;
  std::vector<std::vector<Setting>> points;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const JsonNode& item = list->items[i];
    const std::string pointer = child_pointer(axes.pointer("list"), i);
    points.push_back(read_settings(item, pointer, faults));
    if (item.kind == Kind::object && item.members.empty())
      faults.add(item.place, pointer,
                 "sets nothing; write at least one dotted path and its value.");
    for (const Setting& setting : points.back())
      if (std::ranges::find(result.axes, setting.path) == result.axes.end())
        result.axes.push_back(setting.path);
  }
  if (points.size() > max_sweep_points)
    axes.fault("list", "has more than " + format_count(max_sweep_points) + " points; split it.");
  for (auto& settings : points) {
    SweepPoint point{std::vector<Coordinate>(result.axes.size()), {}};
    for (const Setting& setting : settings) {
      const auto at = std::ranges::find(result.axes, setting.path) - result.axes.begin();
      point.at[static_cast<std::size_t>(at)] = coordinate_of(setting.value);
    }
    point.settings = std::move(settings);
    result.points.push_back(std::move(point));
  }
  return result;
}

/// False after a fault.
bool read_bounds(ObjectAt& law, const std::string& name, DrawnKey& key) {
  const JsonNode* bounds = law.find(name);
  const bool whole = key.law == DrawnKey::Law::integer;
  const auto is_bound = [&](const JsonNode& node) {
    return node.kind == Kind::integer || (!whole && node.kind == Kind::number);
  };
  if (bounds->kind != Kind::array || bounds->items.size() != 2 ||
      !std::ranges::all_of(bounds->items, is_bound)) {
    law.fault(name, std::string("expected [low, high], two ") + (whole ? "integers." : "numbers."));
    return false;
  }
  key.low = coordinate_of(bounds->items[0]).number.value();
  key.high = coordinate_of(bounds->items[1]).number.value();
  constexpr double exact = 0x1p53;
  if (key.low >= key.high)
    law.fault(name,
              "the lower bound is not below the upper one; exchange them, or use choice for "
              "a single value.");
  else if (key.law == DrawnKey::Law::log_uniform && key.low <= 0)
    law.fault(name, "has no logarithm at its lower bound; take one above 0, or uniform.");
  else if (whole && (key.low < -exact || key.high > exact))
    law.fault(name, "reaches beyond 2^53, where not every integer can be drawn; take choice.");
  else
    return true;
  return false;
}

DrawnKey read_law(const JsonMember& member, const std::string& pointer, Diagnostics& faults) {
  DrawnKey key;
  key.path = member.key;
  key.place = member.value.place;
  ObjectAt law(member.value, pointer, "axes.random.keys.*", faults);
  if (member.value.kind != Kind::object) return key;
  constexpr std::array<std::pair<const char*, DrawnKey::Law>, 4> laws{
      {{"uniform", DrawnKey::Law::uniform},
       {"log_uniform", DrawnKey::Law::log_uniform},
       {"integer", DrawnKey::Law::integer},
       {"choice", DrawnKey::Law::choice}}};
  const auto named = std::ranges::count_if(laws, [&](auto& entry) { return law.has(entry.first); });
  if (named == 0 && !member.value.members.empty())
    return key;  // an unknown law is a fault by itself
  if (named != 1) {
    law.fault(
        "needs exactly one law: uniform, log_uniform, integer or choice, such as "
        "{\"uniform\": [0.1, 0.9]}.");
    return key;
  }
  const auto entry = *std::ranges::find_if(laws, [&](auto& e) { return law.has(e.first); });
  key.law = entry.second;
  if (key.law != DrawnKey::Law::choice) {
    if (!read_bounds(law, entry.first, key)) key.high = key.low = 1;
  } else if (const JsonNode* choices = law.list("choice", "values")) {
    key.choices = choices->items;
  }
  return key;
}

RandomPoints read_random(ObjectAt& axes, Diagnostics& faults) {
  RandomPoints result;
  const JsonNode& node = *axes.find("random");
  ObjectAt random(node, axes.pointer("random"), "axes.random", faults);
  if (node.kind != Kind::object) return result;
  result.points = random.read().required_integer("points", 1, max_sweep_points).value_or(0);
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  result.seed = random.read().integer("seed", 0, largest).value_or(0);
  const JsonNode* keys = random.find("keys");
  if (!keys || keys->kind != Kind::object || keys->members.empty()) {
    random.fault("keys",
                 "expected an object of dotted paths and laws, such as "
                 "{\"eviction.budget\": {\"integer\": [64, 512]}}.");
    return result;
  }
  for (const JsonMember& member : keys->members) {
    const std::string pointer = child_pointer(random.pointer("keys"), member.key);
    if (!check_path(member.key, member.place, pointer, faults)) continue;
    for (const DrawnKey& other : result.keys)
      if (overlap(other.path, member.key))
        faults.add(member.place, pointer,
                   "leads into the same value as " + other.path + "; draw one of them.");
    result.keys.push_back(read_law(member, pointer, faults));
  }
  return result;
}

}  // namespace

std::vector<Setting> read_settings(const JsonNode& object, const std::string& pointer,
                                   Diagnostics& faults) {
  std::vector<Setting> settings;
  if (object.kind != Kind::object) {
    faults.add(object.place, pointer,
               "expected an object of dotted paths and values, such as "
               "{\"eviction.budget\": 64}, got " +
                   std::string(kind_name(object.kind)) + '.');
    return settings;
  }
  for (const JsonMember& member : object.members) {
    const std::string child = child_pointer(pointer, member.key);
    if (!check_path(member.key, member.place, child, faults)) continue;
    for (const Setting& other : settings)
      if (overlap(other.path, member.key))
        faults.add(member.place, child,
                   "leads into the same value as " + other.path + "; set one of them.");
    settings.push_back({member.key, member.value});
  }
  return settings;
}

Sampling read_axes(const JsonNode& node, const std::string& pointer, Diagnostics& faults) {
  ObjectAt axes(node, pointer, "axes", faults);
  if (node.kind != Kind::object) return Grid{};
  const int kinds = int{axes.has("grid")} + int{axes.has("list")} + int{axes.has("random")};
  if (kinds == 0 && !node.members.empty()) return Grid{};  // an unknown key is a fault by itself
  if (kinds != 1) {
    axes.fault(std::string(kinds == 0 ? "names no points" : "names points in more than one way") +
               ". Write exactly one of grid, list and random.");
    return Grid{};
  }
  if (axes.has("grid")) return read_grid(axes, faults);
  if (axes.has("list")) return read_list(axes, faults);
  return read_random(axes, faults);
}

}  // namespace vacancy
