// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "sim/lesson/lesson_reader.hpp"
#include "sim/lesson/lesson_run.hpp"

namespace vacancy {

namespace {

/// Beyond, a page would wait for its numbers.
constexpr std::uint64_t most_tokens = 300'000;

class RunChecker {
 public:
  RunChecker(const JsonNode& root, const Lesson& lesson, std::uint32_t scenario,
             Diagnostics& faults)
      : root_(root), lesson_(lesson), scenario_(scenario), faults_(faults) {}

  void check() {
    for (const auto& [name, settings] : lesson_.runs)
      check_run(name);
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
      if (const auto& reveal = lesson_.steps[i].reveal; reveal && reveal->curve)
        check_curve(child_pointer("/steps", i) + "/reveal/curve", *reveal->curve);
  }

 private:
  void fault(const std::string& pointer, std::string sentence) {
    faults_.add(place_of(root_, pointer), pointer, std::move(sentence));
  }

  /// Faults of the scenario itself come with every run; each is told once.
  std::optional<Scenario> resolve(const std::string& run, const std::vector<Setting>& more) {
    Diagnostics trial = faults_;
    const std::size_t known = trial.faults().size();
    auto scenario = scenario_of(lesson_, run, more, std::nullopt, scenario_, trial);
    for (std::size_t i = known; i < trial.faults().size(); ++i) {
      const Diagnostics::Fault& each = trial.faults()[i];
      if (told_.emplace(each.place.origin, each.place.line, each.pointer, each.sentence).second)
        faults_.add(each.place, each.pointer, each.sentence);
    }
    return scenario;
  }

  void check_run(const std::string& name) {
    const auto scenario = resolve(name, {});
    if (!scenario) return;
    const std::string pointer = root_.find("runs") ? "/runs/" + name : "";
    if (scenario->serving)
      return fault(pointer,
                   "a lesson's sequences run without an engine; take engine.profile out of "
                   "the scenario.");
    if (scenario->obstacle) return fault(pointer, *scenario->obstacle);
    const std::uint64_t tokens =
        scenario->sequences *
        (std::uint64_t{scenario->prompt_tokens->longest()} + scenario->output_tokens->longest());
    if (tokens > most_tokens)
      return fault(pointer, "a lesson's run has at most " + std::to_string(most_tokens) +
                                " tokens, so that nobody waits for it; this one may have " +
                                std::to_string(tokens) + '.');
    const LessonRun run(*scenario);
    for (const auto& [figure_name, figure] : lesson_.figures)
      if (figure.kind == LessonFigure::Kind::setting && figure.run == name &&
          !run.setting(figure.key))
        fault("/figures/" + figure_name + "/setting",
              in_quotes(figure.key) +
                  " is no key of the scenario that has a number. docs/formats/scenario.md lists "
                  "them.");
  }

  void check_curve(const std::string& pointer, const LessonCurve& curve) {
    for (const JsonNode& value : curve.values) {
      const auto scenario = resolve(curve.run, {{curve.key, value}});
      if (scenario && scenario->serving)
        fault(pointer, "a lesson's sequences run without an engine.");
    }
  }

  const JsonNode& root_;
  const Lesson& lesson_;
  std::uint32_t scenario_;
  Diagnostics& faults_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>> told_;
};

}  // namespace

void check_runs(const JsonNode& root, const Lesson& lesson, std::uint32_t scenario,
                Diagnostics& faults) {
  RunChecker(root, lesson, scenario, faults).check();
}

}  // namespace vacancy
