// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/field_text.hpp"

#include "sim/units/error.hpp"

namespace vacancy {

std::string integer_expectation(std::uint64_t maximum) {
  return "an integer from 0 to " + std::to_string(maximum);
}

std::string time_expectation(int power) {
  const std::string_view unit = power == 9   ? "seconds"
                                : power == 6 ? "milliseconds"
                                : power == 3 ? "microseconds"
                                             : "nanoseconds";
  VACANCY_ASSERT(power == 9 || power == 6 || power == 3 || power == 0, "a unit with a name");
  return "a number of " + std::string(unit) + ", not negative, below 292 years";
}

std::string unexpected(std::string_view expected, std::string_view found) {
  return "expected " + std::string(expected) + ", got " + std::string(found) +
         "; correct or remove the line.";
}

std::string count_mismatch(std::string_view what, std::uint64_t found, std::uint64_t expected,
                           std::string_view why) {
  return "has " + std::to_string(found) + ' ' + std::string(what) + ", but " + std::string(why) +
         " needs " + std::to_string(expected) + "; correct or remove the line.";
}

}  // namespace vacancy
