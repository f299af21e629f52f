// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/lesson_lab.hpp"

#include <cmath>
#include <limits>

#include "sim/lesson/lesson_reader.hpp"
#include "sim/scenario/named_object.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/run_record.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

std::string key_of(const std::string& run, const std::vector<Setting>& settings) {
  std::string key = run;
  for (const Setting& setting : settings)
    key += ' ' + setting.path + '=' + to_json(setting.value).dump();
  return key;
}

}  // namespace

LessonRun& LessonLab::run(const std::string& name, const Variant& variant) {
  static const std::vector<Setting> none;
  const auto& settings = variant.run == name ? variant.settings : none;
  auto& slot = runs_[key_of(name, settings)];
  if (!slot) {
    Diagnostics faults(lesson_.name, lesson_.folder);
    auto scenario = scenario_of(lesson_, name, settings, seed_, 0, faults);
    faults.throw_if_any();  // a lesson that was loaded has none
    slot = std::make_unique<LessonRun>(std::move(*scenario));
  }
  return *slot;
}

double LessonLab::figure(const std::string& name, const Variant& variant) {
  const LessonFigure& figure = lesson_.figure(name);
  switch (figure.kind) {
    case LessonFigure::Kind::setting:
      return run(figure.run, variant).setting(figure.key).value_or(no_figure);
    case LessonFigure::Kind::summary:
      return figure_of(run(figure.run, variant).summary(), figure.key).value_or(no_figure);
    case LessonFigure::Kind::count:
      return static_cast<double>(state(figure.state, variant)->count(figure.count));
    case LessonFigure::Kind::value:
      break;
  }
  return figure.value->value([&](const std::string& part) { return this->figure(part, variant); });
}

std::string LessonLab::figure_text(const std::string& name, const Variant& variant) {
  return lesson_number(figure(name, variant), lesson_.figure(name).unit);
}

std::shared_ptr<const PoolState> LessonLab::state(const LessonState& state,
                                                  const Variant& variant) {
  return run(state.run, variant).state(state.at);
}

double LessonLab::law(const LessonFormula& formula, const Variant& variant) {
  if (!formula.law) return no_figure;
  return formula.law->value([&](const std::string& symbol) {
    for (const auto& [name, figure_name] : formula.symbols)
      if (name == symbol) return figure(figure_name, variant);
    return no_figure;
  });
}

std::string lesson_number(double value, std::string_view unit) {
  return std::isfinite(value) ? value_text(value, unit) : "–";
}

std::vector<std::string> broken_promises(const Lesson& lesson, std::uint64_t seed) {
  LessonLab lab(lesson, seed);
  std::vector<std::string> broken;
  const auto hold = [&](const std::string& what, double value, double expected, double within) {
    if (std::abs(value - expected) <= within) return;  // NaN is broken
    broken.push_back(lesson.name + ", seed " + std::to_string(seed) + ": " + what + " is " +
                     short_number(value) + ", not " + short_number(expected) +
                     (within > 0 ? " within " + short_number(within) : "") + '.');
  };
  for (const auto& [name, figure] : lesson.figures) {
    if (figure.expect)
      hold(name, lab.figure(name), *figure.expect, figure.within);
    else if (!std::isfinite(lab.figure(name)))
      broken.push_back(lesson.name + ": " + name + " has no value.");
  }
  for (const LessonStep& step : lesson.steps) {
    if (step.ask && !step.ask->expected.empty()) {
      const double highest = step.ask->highest.empty() ? 1 : lab.figure(step.ask->highest);
      const double value = lab.figure(step.ask->expected);
      hold("the answer of \"" + step.title + '"', value, highest / 2, highest / 2);
    }
    if (!step.reveal || !step.reveal->formula) continue;
    const LessonFormula& formula = *step.reveal->formula;
    hold("the law of " + formula.figure, lab.law(formula), lab.figure(formula.figure),
         formula.within);
    if (!step.reveal->curve || step.reveal->curve->figure != formula.figure) continue;
    const LessonCurve& curve = *step.reveal->curve;
    for (const JsonNode& value : curve.values) {
      const Variant variant{curve.run, {{curve.key, value}}};
      hold("the law of " + formula.figure + " at " + curve.key + ' ' + to_json(value).dump(),
           lab.law(formula, variant), lab.figure(formula.figure, variant), formula.within);
    }
  }
  return broken;
}

}  // namespace vacancy
