// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/lesson/gap.hpp"
#include "sim/lesson/lesson.hpp"
#include "sim/lesson/lesson_lab.hpp"

namespace vacancy {

/// Where what was reached is kept between sittings; a dictionary, such as QSettings.
class LessonProgress {
 public:
  virtual ~LessonProgress() = default;
  virtual std::string value(const std::string& key) const = 0;
  virtual void set(const std::string& key, const std::string& value) = 0;
};

struct QuestionPage {
  QuestionKind kind = QuestionKind::number;
  std::string text, unit;
  std::string title;   // of the axis; empty for blocks
  double highest = 1;  // of the axis, from 0 on
};

struct FormulaPage {
  std::string law, substituted;  // "e^B", "0.875^16"; empty where there is no law
  std::string value, simulated;  // in the figure's unit
  std::string deviation;         // simulation − law; "same" where it rounds to 0
  std::string over_seeds;        // "118.2 ± 8.9 over 40 seeds"
  std::string assumes;
};

struct CurvePoint {
  double at = 0, simulated = 0;
  std::optional<double> law;
  std::string at_text, simulated_text, law_text;
};
struct CurvePage {
  std::string title, unit;   // of the setting
  std::string figure_title;  // with its unit
  std::vector<CurvePoint> points;
};

struct MarkPage {
  std::string text;
  double value = 0;
};

/// What a histogram would be if each slot were emptied independently of the others.
struct HistogramLaw {
  std::string text;            // "1,000 * C(16, k) * 0.125^k * 0.875^(16-k)"
  std::vector<double> blocks;  // by live slots
};

/// What is told once the answer is locked or skipped.
struct RevealPage {
  std::string title, headline, note;
  std::string gap;  // answer and truth in words; of a skipped question the truth alone
  std::vector<std::string> say;
  std::optional<LessonAnswer> answer;  // nothing: skipped
  LessonAnswer truth;
  bool right = false;
  std::vector<MarkPage> marks;
  std::optional<FormulaPage> formula;
  std::optional<CurvePage> curve;
  std::vector<std::uint64_t> histogram;  // blocks by live slots; empty: none
  std::optional<HistogramLaw> histogram_law;
};

/// All that may be shown now. Before the lock nothing in it depends on a result: with another seed
/// it is the same.
struct StepPage {
  std::size_t step = 0, steps = 0;
  std::string title;
  std::string word, meaning;  // new in this step
  std::vector<std::string> say;
  std::shared_ptr<const PoolState> state;  // null: no pool is shown
  std::vector<std::uint32_t> highlight;
  std::optional<TableState> table;  // of `state`
  std::optional<QuestionPage> question;
  std::optional<RevealPage> reveal;
};

/// One sitting over a lesson: predict, lock, look.
class LessonPlayer {
 public:
  /// Lesson, glossary and progress outlive it. With a progress it begins where the last sitting
  /// ended. With `blanks`, figures that a reveal tells are blanks everywhere, for a sheet that is
  /// handed out.
  LessonPlayer(const Lesson& lesson, const Glossary& glossary, std::uint64_t seed,
               LessonProgress* progress = nullptr, bool blanks = false);

  const Lesson& lesson() const { return lesson_; }
  std::uint64_t seed() const { return lab_.seed(); }
  std::size_t step() const { return step_; }
  std::size_t steps() const { return lesson_.steps.size(); }
  const StepPage& page() const { return page_; }

  /// An answer is asked for, and none is locked.
  bool asking() const { return page_.question && !page_.reveal; }
  /// Locks the answer and reveals; false where none is asked for, or it lies off the axis.
  bool lock(const LessonAnswer& answer);
  /// Reveals without an answer, which is noted.
  void show_me();

  bool can_go_on() const { return !asking() && step_ + 1 < steps(); }
  bool finished() const { return !asking() && step_ + 1 == steps(); }
  void next();
  void back();
  /// From the first step, all answers forgotten.
  void restart();
  void go_to(std::size_t step);
  /// Whether the step's answer was locked or skipped, or it asks for none and was passed.
  bool passed(std::size_t step) const { return past_[step].passed; }
  bool skipped(std::size_t step) const { return past_[step].passed && !past_[step].answer; }

  /// The pool of a revealed step at a point of its curve.
  std::shared_ptr<const PoolState> curve_state(std::size_t point);
  /// The scenario of this step's run, with its seed and every default explicit, to play with.
  std::string scenario_text();

  /// What a store has of a lesson.
  static bool done(const Lesson& lesson, const LessonProgress& progress);

 private:
  struct Past {
    bool passed = false;
    std::optional<LessonAnswer> answer;
  };

  std::string fill(const std::string& text);
  void show();
  RevealPage reveal(const LessonStep& step, const Past& past);
  LessonAnswer truth(const LessonStep& step);
  FormulaPage formula_page(const LessonFormula& formula);
  CurvePage curve_page(const LessonCurve& curve, const LessonFormula* formula);
  void pass(std::optional<LessonAnswer> answer);
  void keep();

  const Lesson& lesson_;
  const Glossary& glossary_;
  LessonProgress* progress_;
  LessonLab lab_;
  std::vector<std::string> blanks_;  // figures that are not told
  std::size_t step_ = 0;
  std::vector<Past> past_;
  StepPage page_;
};

}  // namespace vacancy
