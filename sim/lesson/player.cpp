// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/player.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/json/json_text.hpp"
#include "sim/lesson/lesson_text.hpp"
#include "sim/scenario/named_object.hpp"
#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/results.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

std::string key_of(const Lesson& lesson, const char* what) {
  return "lessons/" + lesson.name + '/' + what;
}

/// As people write it in a formula: "0.875", "16".
std::string plain_number(double value) {
  std::string text = short_number(value);
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string signed_text(double value, std::string_view unit) {
  const bool share = unit == "share";
  const std::string size =
      share ? format_decimal(std::abs(value) * 100, 1) : lesson_number(std::abs(value), unit);
  if (size.find_first_of("123456789") == std::string::npos) return "same";
  return (value < 0 ? "−" : "+") + size + (share ? " pp" : "");
}

std::vector<std::uint32_t> differing(const PoolState& first, const PoolState& second,
                                     BlockAnswer what) {
  const auto cell = [](const PoolState& state, std::size_t i) {
    return i < state.pool.cells.size() ? state.pool.cells[i] : BlockCell{};
  };
  std::vector<std::uint32_t> blocks;
  const std::size_t count = std::max(first.pool.cells.size(), second.pool.cells.size());
  for (std::size_t i = 0; i < count; ++i) {
    const BlockCell before = cell(first, i), after = cell(second, i);
    const bool freed = !before.free() && after.free();
    const bool changed = before.references != after.references || before.live != after.live ||
                         before.fill != after.fill;
    if (what == BlockAnswer::freed ? freed : changed)
      blocks.push_back(static_cast<std::uint32_t>(i));
  }
  return blocks;
}

/// Each slot of the histogram's blocks, which were all full, is emptied with the same chance.
HistogramLaw binomial_law(const std::vector<std::uint64_t>& histogram, double emptied) {
  const std::uint64_t blocks = std::accumulate(histogram.begin(), histogram.end(), 0ull);
  std::vector<double> law(histogram.size());
  law[0] = static_cast<double>(blocks);
  for (std::size_t slot = 1; slot < law.size(); ++slot) {
    for (std::size_t live = slot; live > 0; --live)
      law[live] = law[live] * emptied + law[live - 1] * (1 - emptied);
    law[0] *= emptied;
  }
  const std::string size = std::to_string(histogram.size() - 1);
  return {format_count(blocks) + " * C(" + size + ", k) * " + plain_number(1 - emptied) + "^k * " +
              plain_number(emptied) + "^(" + size + "-k)",
          std::move(law)};
}

/// Figures that are first told when an answer is locked.
std::vector<std::string> revealed_figures(const Lesson& lesson) {
  std::vector<std::string> open, revealed;
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto read = [&](const std::vector<std::string>& texts, std::vector<std::string>& target,
                        const std::vector<std::string>& other) {
    std::optional<std::string> fault;
    for (const std::string& text : texts)
      for (const std::string& name : figures_in(text, fault))
        if (!has(other, name)) target.push_back(name);
  };
  for (const LessonStep& step : lesson.steps) {
    read(step.say, open, revealed);
    if (!step.ask) continue;
    read({step.ask->text}, open, revealed);
    read(step.reveal->say, revealed, open);
    read({step.reveal->headline, step.reveal->note}, revealed, open);
    if (const std::string& asked = step.ask->expected; !asked.empty() && !has(open, asked))
      revealed.push_back(asked);
  }
  return revealed;
}

}  // namespace

LessonPlayer::LessonPlayer(const Lesson& lesson, const Glossary& glossary, std::uint64_t seed,
                           LessonProgress* progress, bool blanks)
    : lesson_(lesson),
      glossary_(glossary),
      progress_(progress),
      lab_(lesson, seed),
      past_(lesson.steps.size()) {
  if (blanks) blanks_ = revealed_figures(lesson);
  if (progress_) {
    const std::string kept = progress_->value(key_of(lesson, "step"));
    std::size_t step = 0;
    std::from_chars(kept.data(), kept.data() + kept.size(), step);
    // Answers are not kept: a sitting begins at a step that can be understood by itself.
    step_ = std::min(step, steps() - 1);
    for (std::size_t i = 0; i < step_; ++i)
      past_[i].passed = true;
  }
  show();
}

bool LessonPlayer::done(const Lesson& lesson, const LessonProgress& progress) {
  return progress.value(key_of(lesson, "done")) == "yes";
}

std::string LessonPlayer::fill(const std::string& text) {
  return filled(text, [this](const std::string& name) {
    const bool blank = std::find(blanks_.begin(), blanks_.end(), name) != blanks_.end();
    return blank ? std::string("____") : lab_.figure_text(name);
  });
}

void LessonPlayer::show() {
  const LessonStep& step = lesson_.steps[step_];
  page_ = {};
  page_.step = step_;
  page_.steps = steps();
  page_.title = fill(step.title);
  for (const std::string& sentence : step.say)
    page_.say.push_back(fill(sentence));
  page_.word = step.word;
  for (const auto& [word, meaning] : glossary_)
    if (word == step.word) page_.meaning = meaning;
  if (step.show) page_.state = lab_.state(*step.show);
  page_.highlight = step.highlight;
  if (step.table)
    for (const TableState& table : page_.state->tables)
      if (table.sequence.value() == *step.table) page_.table = table;
  if (!step.ask) {
    past_[step_].passed = true;
    return keep();
  }
  const LessonQuestion& ask = *step.ask;
  const bool blocks = ask.kind == QuestionKind::blocks;
  const LessonFigure* const asked = blocks ? nullptr : &lesson_.figure(ask.expected);
  page_.question = {ask.kind, fill(ask.text), asked ? asked->unit : "blocks",
                    asked ? asked->title : "", ask.highest.empty() ? 1 : lab_.figure(ask.highest)};
  if (past_[step_].passed) page_.reveal = reveal(step, past_[step_]);
  keep();
}

void LessonPlayer::keep() {
  if (!progress_) return;
  progress_->set(key_of(lesson_, "step"), std::to_string(finished() ? 0 : step_));
  if (finished()) progress_->set(key_of(lesson_, "done"), "yes");
}

LessonAnswer LessonPlayer::truth(const LessonStep& step) {
  if (step.ask->kind != QuestionKind::blocks) return {lab_.figure(step.ask->expected), {}};
  return {0, differing(*lab_.state(*step.show), *lab_.state(*step.reveal->show), step.ask->blocks)};
}

RevealPage LessonPlayer::reveal(const LessonStep& step, const Past& past) {
  const LessonQuestion& ask = *step.ask;
  const LessonReveal& told = *step.reveal;
  RevealPage page;
  page.title = fill(told.title);
  page.headline = fill(told.headline);
  page.note = fill(told.note);
  for (const std::string& sentence : told.say)
    page.say.push_back(fill(sentence));
  page.answer = past.answer;
  page.truth = truth(step);
  const std::string& unit = page_.question->unit;
  const bool blocks = ask.kind == QuestionKind::blocks;
  if (!past.answer) {
    page.gap = ask.said + ' ' +
               (blocks ? with_unit(double(page.truth.blocks.size()), unit)
                       : with_unit(page.truth.value, unit)) +
               '.';
  } else if (blocks) {
    page.right = past.answer->blocks == page.truth.blocks;
    page.gap = gap_sentence(ask, past.answer->blocks, page.truth.blocks);
  } else {
    page.right = is_right(ask, past.answer->value, page.truth.value);
    page.gap = gap_sentence(ask, unit, past.answer->value, page.truth.value);
  }
  for (const LessonMark& mark : told.marks)
    page.marks.push_back(
        {mark.text + ' ' + lab_.figure_text(mark.figure), lab_.figure(mark.figure)});
  const LessonFormula* formula = told.formula ? &*told.formula : nullptr;
  if (formula) page.formula = formula_page(*formula);
  if (told.curve) page.curve = curve_page(*told.curve, formula);
  if (told.show) {
    page_.state = lab_.state(*told.show);
    if (told.histogram) page.histogram = page_.state->blocks_by_live_slots();
    if (!told.binomial.empty())
      page.histogram_law = binomial_law(page.histogram, lab_.figure(told.binomial));
  }
  return page;
}

FormulaPage LessonPlayer::formula_page(const LessonFormula& formula) {
  const std::string& unit = lesson_.figure(formula.figure).unit;
  const double law = lab_.law(formula), simulated = lab_.figure(formula.figure);
  FormulaPage page;
  page.law = formula.law->text();
  page.substituted = formula.law->substituted([&](const std::string& symbol) {
    for (const auto& [name, figure] : formula.symbols)
      if (name == symbol) return plain_number(lab_.figure(figure));
    return symbol;
  });
  page.value = lesson_number(law, unit);
  page.simulated = lesson_number(simulated, unit);
  page.deviation = signed_text(simulated - law, unit);
  page.assumes = formula.assumes;
  if (formula.seeds == 0) return page;
  std::vector<double> values;
  for (std::uint32_t i = 0; i < formula.seeds; ++i)
    values.push_back(LessonLab(lesson_, lab_.seed() + i).figure(formula.figure));
  page.over_seeds = vacancy::figure_text(spread_of(values), unit) + " over " +
                    std::to_string(formula.seeds) + " seeds";
  return page;
}

CurvePage LessonPlayer::curve_page(const LessonCurve& curve, const LessonFormula* formula) {
  const LessonFigure& figure = lesson_.figure(curve.figure);
  CurvePage page{curve.title, curve.unit, figure.title, {}};
  const bool law = formula && formula->figure == curve.figure;
  for (const JsonNode& value : curve.values) {
    const Variant variant{curve.run, {{curve.key, value}}};
    CurvePoint point;
    point.at = to_json(value).get<double>();
    point.at_text = short_number(point.at);
    point.simulated = lab_.figure(curve.figure, variant);
    point.simulated_text = lesson_number(point.simulated, figure.unit);
    if (law) {
      point.law = lab_.law(*formula, variant);
      point.law_text = lesson_number(*point.law, figure.unit);
    }
    page.points.push_back(std::move(point));
  }
  return page;
}

bool LessonPlayer::lock(const LessonAnswer& answer) {
  if (!asking()) return false;
  const bool blocks = page_.question->kind == QuestionKind::blocks;
  if (!blocks && !(answer.value >= 0 && answer.value <= page_.question->highest)) return false;
  pass(answer);
  return true;
}

void LessonPlayer::show_me() {
  if (asking()) pass(std::nullopt);
}

void LessonPlayer::pass(std::optional<LessonAnswer> answer) {
  if (answer) std::sort(answer->blocks.begin(), answer->blocks.end());
  past_[step_] = {true, std::move(answer)};
  show();
}

void LessonPlayer::next() {
  if (can_go_on()) go_to(step_ + 1);
}

void LessonPlayer::back() {
  if (step_ > 0) go_to(step_ - 1);
}

void LessonPlayer::go_to(std::size_t step) {
  step_ = step;
  show();
}

void LessonPlayer::restart() {
  std::fill(past_.begin(), past_.end(), Past{});
  go_to(0);
}

std::shared_ptr<const PoolState> LessonPlayer::curve_state(std::size_t point) {
  const LessonStep& step = lesson_.steps[step_];
  if (!page_.reveal || !page_.reveal->curve || !step.reveal->show) return page_.state;
  const LessonCurve& curve = *step.reveal->curve;
  return lab_.state(*step.reveal->show, {curve.run, {{curve.key, curve.values[point]}}});
}

std::string LessonPlayer::scenario_text() {
  const LessonStep& step = lesson_.steps[step_];
  const std::string& run = step.reveal && step.reveal->show ? step.reveal->show->run
                           : step.show                      ? step.show->run
                                                            : lesson_.runs.begin()->first;
  Diagnostics faults(lesson_.name, lesson_.folder);
  const auto scenario = scenario_of(lesson_, run, {}, lab_.seed(), 0, faults);
  return json_text(resolved_json(scenario.value()));
}

}  // namespace vacancy
