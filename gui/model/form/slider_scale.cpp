// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/slider_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gui/model/form/field_entry.hpp"

namespace vacancy::gui {

namespace {

constexpr double practical_end = 10'000;  // ranges beyond are limits of the format
constexpr double span_factor = 16;
constexpr int most_steps = 400;

}  // namespace

std::optional<SliderScale> SliderScale::of(const Parameter& parameter, double centre) {
  SliderScale scale;
  scale.whole_ = parameter.type == ParameterType::integer;
  if (!scale.whole_ && parameter.type != ParameterType::number) return std::nullopt;
  const double lowest = parameter.minimum.value_or(0);
  const double highest = parameter.maximum.value_or(practical_end * span_factor * span_factor);
  scale.low_ = std::max(lowest, 0.0);
  scale.high_ = highest;
  if (highest > practical_end) {
    const double middle = std::max(centre, 1.0);
    scale.low_ = std::max(scale.low_, std::floor(middle / span_factor));
    scale.high_ = std::min(highest, std::max(middle * span_factor, span_factor));
  }
  if (scale.high_ <= scale.low_) return std::nullopt;
  scale.logarithmic_ = scale.high_ / std::max(scale.low_, 1.0) >= 2 * span_factor;
  const double width = scale.high_ - scale.low_;
  scale.steps_ = scale.whole_ && width < most_steps ? static_cast<int>(width) : most_steps;
  if (scale.whole_ && width < most_steps) scale.logarithmic_ = false;
  return scale;
}

double SliderScale::value(int position) const {
  const double share = static_cast<double>(std::clamp(position, 0, steps_)) / steps_;
  // From low - 1 + 1 on, so that a scale may begin at 0.
  const double raw =
      logarithmic_ ? low_ - 1 + std::pow(high_ - low_ + 1, share) : low_ + (high_ - low_) * share;
  constexpr double digits = 1e4;
  const double neat = whole_ ? std::round(raw) : std::round(raw * digits) / digits;
  return std::clamp(neat, low_, high_);
}

int SliderScale::position(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double share = logarithmic_ ? std::log(inside - low_ + 1) / std::log(high_ - low_ + 1)
                                    : (inside - low_) / (high_ - low_);
  return static_cast<int>(std::lround(share * steps_));
}

std::string SliderScale::entry(int position) const {
  const double chosen = value(position);
  return whole_ ? entry_of(ParameterValue(static_cast<std::int64_t>(chosen)))
                : entry_of(ParameterValue(chosen));
}

}  // namespace vacancy::gui
