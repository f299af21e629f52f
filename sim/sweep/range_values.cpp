// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/range_values.hpp"

#include <cmath>
#include <optional>

#include "sim/sweep/sampling.hpp"
#include "sim/units/format.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

constexpr double largest_bound = 1e15;
constexpr std::size_t most_values = 10'000;

/// What falls behind the end by rounding still counts.
bool beyond(double value, double to) {
  return value > to + std::abs(to) * 1e-12;
}

std::optional<double> member(ObjectAt& axis, const char* key) {
  if (!axis.has(key)) {
    axis.fault(key, "is missing; a range has from, to, and one of step, factor and log_steps.");
    return std::nullopt;
  }
  return axis.read().number(key, -largest_bound, largest_bound);
}

std::vector<double> added(double from, double to, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; values.size() < most_values; ++i) {
    const double value = tidy(from + static_cast<double>(i) * step);
    if (beyond(value, to)) break;
    values.push_back(value);
  }
  return values;
}

std::vector<double> multiplied(double from, double to, double factor) {
  std::vector<double> values;
  for (double value = from; !beyond(value, to) && values.size() < most_values; value *= factor)
    values.push_back(tidy(value));
  return values;
}

std::vector<double> in_equal_ratios(double from, double to, std::size_t count) {
  std::vector<double> values;
  const double low = portable_log(from), high = portable_log(to);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(i == 0           ? from
                     : i + 1 == count ? to
                                      : tidy(portable_exp(low + part * (high - low))));
  }
  return values;
}

bool is_integer(const ObjectAt& axis, const char* key) {
  const JsonNode* node = axis.find(key);
  return !node || node->kind == JsonNode::Kind::integer;
}

}  // namespace

std::vector<JsonNode> range_values(ObjectAt& axis) {
  const auto from = member(axis, "from"), to = member(axis, "to");
  const int ways = int{axis.has("step")} + int{axis.has("factor")} + int{axis.has("log_steps")};
  if (ways != 1)
    axis.fault(std::string("a range needs ") + (ways == 0 ? "one of step, factor and log_steps."
                                                          : "only one of step, factor and "
                                                            "log_steps; remove the others."));
  const auto step = axis.read().number("step", -largest_bound, largest_bound);
  const auto factor = axis.read().number("factor", -largest_bound, largest_bound);
  const auto log_steps = axis.read().integer("log_steps", 2, most_values);
  if (!from || !to || ways != 1 || (!step && !factor && !log_steps)) return {};

  std::string sentence;
  if (*from >= *to)
    sentence = "the range ends at or before its start; exchange from and to.";
  else if (step && *step <= 0)
    sentence = "a step is above 0; exchange from and to to go the other way.";
  else if (factor && *factor <= 1)
    sentence = "a factor is above 1; exchange from and to to go the other way.";
  else if (!step && *from <= 0)
    sentence = "a range by factors starts above 0; take a step instead, or another start.";
  if (!sentence.empty()) {
    axis.fault(step ? "step" : factor ? "factor" : "log_steps", sentence);
    return {};
  }
  const std::vector<double> numbers = step     ? added(*from, *to, *step)
                                      : factor ? multiplied(*from, *to, *factor)
                                               : in_equal_ratios(*from, *to, *log_steps);
  if (numbers.size() == most_values && !log_steps) {
    axis.fault("has " + format_count(most_values) + " values or more; take larger steps.");
    return {};
  }
  const bool whole = is_integer(axis, "from") && is_integer(axis, "to") &&
                     is_integer(axis, "step") && is_integer(axis, "factor");
  std::vector<JsonNode> values;
  for (const double number : numbers) {
    JsonNode node = number_node(whole ? std::round(number) : number, whole, axis.place());
    if (values.empty() || values.back().scalar != node.scalar) values.push_back(std::move(node));
  }
  return values;
}

}  // namespace vacancy
