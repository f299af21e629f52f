// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sampling.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/scenario/named_object.hpp"
#include "sim/units/overloaded.hpp"
#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"
#include "sim/workload/draws.hpp"

namespace vacancy {

namespace {

SweepPoint grid_point(const Grid& grid, std::uint64_t index) {
  SweepPoint point;
  point.at.resize(grid.axes.size());
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    const auto& values = grid.axes[i].values;
    const GridAxis::Value& value = values[index % values.size()];
    index /= values.size();
    point.at[i] = value.at;
    point.settings.insert(point.settings.begin(), value.settings.begin(), value.settings.end());
  }
  return point;
}

/// `u` in (0, 1).
JsonNode drawn(const DrawnKey& key, double u) {
  switch (key.law) {
    case DrawnKey::Law::uniform:
      return number_node(tidy(key.low + u * (key.high - key.low)), false, key.place);
    case DrawnKey::Law::log_uniform: {
      const double low = portable_log(key.low), high = portable_log(key.high);
      const double value = portable_exp(low + u * (high - low));
      return number_node(std::clamp(tidy(value), key.low, key.high), false, key.place);
    }
    case DrawnKey::Law::integer: {
      const double value = key.low + std::floor(u * (key.high - key.low + 1));
      return number_node(std::min(value, key.high), true, key.place);
    }
    case DrawnKey::Law::choice:
      break;
  }
  const auto count = key.choices.size();
  const auto at = static_cast<std::size_t>(u * static_cast<double>(count));
  return key.choices[std::min(at, count - 1)];
}

SweepPoint random_point(const RandomPoints& random, std::uint64_t index) {
  const PhiloxKey key = philox_key(random.seed, Stream::sweep);
  SweepPoint point;
  for (std::uint32_t k = 0; k < random.keys.size(); ++k) {
    const auto words = philox4x32_10({static_cast<std::uint32_t>(index), k, 0, 0}, key);
    JsonNode value = drawn(random.keys[k], open_unit_interval(words[0], words[1]));
    point.at.push_back(coordinate_of(value));
    point.settings.push_back({random.keys[k].path, std::move(value)});
  }
  return point;
}

}  // namespace

std::uint64_t point_count(const Sampling& sampling) {
  return std::visit(
      Overloaded{[](const Grid& grid) {
                   std::uint64_t count = 1;
                   for (const GridAxis& axis : grid.axes)
                     count *= axis.values.size();
                   return count;
                 },
                 [](const PointList& list) -> std::uint64_t { return list.points.size(); },
                 [](const RandomPoints& random) { return random.points; }},
      sampling);
}

std::vector<std::string> axis_names(const Sampling& sampling) {
  std::vector<std::string> names;
  if (const auto* grid = std::get_if<Grid>(&sampling))
    for (const GridAxis& axis : grid->axes)
      names.push_back(axis.name);
  if (const auto* list = std::get_if<PointList>(&sampling)) names = list->axes;
  if (const auto* random = std::get_if<RandomPoints>(&sampling))
    for (const DrawnKey& key : random->keys)
      names.push_back(key.path);
  return names;
}

SweepPoint point_at(const Sampling& sampling, std::uint64_t index) {
  return std::visit(
      Overloaded{[&](const Grid& grid) { return grid_point(grid, index); },
                 [&](const PointList& list) { return list.points[index]; },
                 [&](const RandomPoints& random) { return random_point(random, index); }},
      sampling);
}

Coordinate coordinate_of(const JsonNode& value) {
  Coordinate result;
  if (value.kind == JsonNode::Kind::text) {
    result.text = value.text();
    return result;
  }
  const nlohmann::ordered_json json = to_json(value);
  result.text = json.dump();
  if (json.is_number()) result.number = json.get<double>();
  return result;
}

double tidy(double value) {
  char digits[32];
  const auto written =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 11);
  double result = value;
  std::from_chars(digits, written.ptr, result);
  return result;
}

JsonNode number_node(double value, bool whole, Place place) {
  JsonNode node;
  node.place = place;
  node.kind = whole ? JsonNode::Kind::integer : JsonNode::Kind::number;
  if (whole)
    node.scalar = static_cast<std::int64_t>(value);
  else
    node.scalar = value;
  return node;
}

}  // namespace vacancy
