// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/gap.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/lesson/lesson_lab.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

/// Of these a number alone says which it is.
bool in_number(std::string_view unit) {
  return unit.empty() || unit == "share" || unit == "bytes" || unit == "ns";
}

bool is_count(std::string_view unit) {
  return !in_number(unit);
}

std::string distance(double gap, std::string_view unit) {
  if (unit == "share") return format_decimal(gap * 100, 1) + " percentage points";
  return lesson_number(gap, unit);
}

}  // namespace

std::string with_unit(double value, std::string_view unit) {
  const std::string number = lesson_number(value, unit);
  if (in_number(unit)) return number;
  const bool one = value == 1 && unit.ends_with('s');
  return number + ' ' + std::string(one ? unit.substr(0, unit.size() - 1) : unit);
}

bool is_right(const LessonQuestion& question, double answer, double truth) {
  return std::abs(answer - truth) <= question.within;
}

std::string gap_sentence(const LessonQuestion& question, std::string_view unit, double answer,
                         double truth) {
  std::string text = "You said " + with_unit(answer, unit) + ". " + question.said + ' ';
  // Once with its unit is enough.
  text += is_count(unit) ? lesson_number(truth, unit) : with_unit(truth, unit);
  // Where both look the same, they are.
  if (lesson_number(answer, unit) == lesson_number(truth, unit)) return text + ": exactly.";
  const std::string direction = truth < answer ? is_count(unit) ? "fewer" : "less" : "more";
  text += ": " + distance(std::abs(truth - answer), unit) + ' ' + direction + " than you expected";
  return text + (is_right(question, answer, truth) ? ", near enough to be right." : ".");
}

std::string gap_sentence(const LessonQuestion& question, const std::vector<std::uint32_t>& answer,
                         const std::vector<std::uint32_t>& truth) {
  std::vector<std::uint32_t> right;
  std::set_intersection(answer.begin(), answer.end(), truth.begin(), truth.end(),
                        std::back_inserter(right));
  std::string text = "You picked " + counted(answer.size(), "block") + ". " + question.said + ' ' +
                     format_count(truth.size());
  if (right.size() == answer.size() && right.size() == truth.size())
    return text + ": exactly yours.";
  text += ": " + format_count(right.size()) + " of yours";
  if (right.size() < truth.size())
    text += ", and " + counted(truth.size() - right.size(), "block") + " that you did not pick";
  return text + '.';
}

}  // namespace vacancy
