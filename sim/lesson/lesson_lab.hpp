// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/lesson/lesson_run.hpp"

namespace vacancy {

/// The runs of a lesson with one seed, and its figures. The same lesson and seed, the same numbers.
class LessonLab {
 public:
  /// The lesson outlives it.
  LessonLab(const Lesson& lesson, std::uint64_t seed) : lesson_(lesson), seed_(seed) {}

  std::uint64_t seed() const { return seed_; }
  /// NaN where the run has no such figure, such as a quotient of nothing.
  double figure(const std::string& name, const Variant& variant = {});
  /// As sentences have it.
  std::string figure_text(const std::string& name, const Variant& variant = {});
  std::shared_ptr<const PoolState> state(const LessonState& state, const Variant& variant = {});
  /// A formula's law; NaN where it has none.
  double law(const LessonFormula& formula, const Variant& variant = {});

 private:
  LessonRun& run(const std::string& name, const Variant& variant);

  const Lesson& lesson_;
  std::uint64_t seed_;
  std::map<std::string, std::unique_ptr<LessonRun>> runs_;  // by name and settings
};

/// A value in its unit: "11.8 %", "16,000", "1.3 MiB".
std::string lesson_number(double value, std::string_view unit);

/// What of a lesson is not as it says with this seed, a sentence each: figures that are not what
/// their author expected, laws that the simulation does not follow, answers that lie off their
/// axis.
std::vector<std::string> broken_promises(const Lesson& lesson, std::uint64_t seed);

}  // namespace vacancy
