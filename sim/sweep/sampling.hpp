// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// A key of the scenario and what it is set to. The value's place is in the sweep file.
struct Setting {
  std::string path;  // dotted
  JsonNode value;
};

/// Where a point stands on one axis.
struct Coordinate {
  std::string text;              // for people; empty: as in the scenario
  std::optional<double> number;  // where the value is one
  bool operator==(const Coordinate&) const = default;
};

/// One scenario of the sweep: a coordinate for each axis, and what they set.
struct SweepPoint {
  std::vector<Coordinate> at;
  std::vector<Setting> settings;
};

struct GridAxis {
  struct Value {
    Coordinate at;
    std::vector<Setting> settings;
  };
  std::string name;
  std::vector<Value> values;
};

/// All combinations; the last axis varies fastest.
struct Grid {
  std::vector<GridAxis> axes;
};

struct PointList {
  std::vector<std::string> axes;
  std::vector<SweepPoint> points;
};

/// A key whose values are drawn.
struct DrawnKey {
  enum class Law { uniform, log_uniform, integer, choice };
  std::string path;
  Law law = Law::uniform;
  double low = 0, high = 0;       // of a law with bounds, both included
  std::vector<JsonNode> choices;  // of `choice`
  Place place;
};

/// Point i is a function of the seed and i alone: key k draws from Philox words (i, k).
struct RandomPoints {
  std::uint64_t points = 0, seed = 0;
  std::vector<DrawnKey> keys;
};

using Sampling = std::variant<Grid, PointList, RandomPoints>;

std::uint64_t point_count(const Sampling& sampling);
/// Names of the axes, the columns of a table of points.
std::vector<std::string> axis_names(const Sampling& sampling);
SweepPoint point_at(const Sampling& sampling, std::uint64_t index);

/// How a value stands in tables and labels.
Coordinate coordinate_of(const JsonNode& value);
/// The number closest to `value` that people would write: twelve significant digits.
double tidy(double value);
/// A number as a value of the scenario: an integer where `whole`.
JsonNode number_node(double value, bool whole, Place place);

}  // namespace vacancy
