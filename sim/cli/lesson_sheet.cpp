// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/lesson_sheet.hpp"

#include <string>

#include "sim/cli/console.hpp"
#include "sim/cli/text_table.hpp"

namespace vacancy {

namespace {

class Sheet {
 public:
  Sheet(std::ostream& out, std::size_t columns) : out_(out), columns_(columns) {}

  void line(const std::string& text, std::string_view indent = "") {
    if (!text.empty()) out_ << indent << wrapped(text, columns_ - indent.size(), indent) << '\n';
  }

  void before_lock(const StepPage& page) {
    out_ << '\n';
    line(std::to_string(page.step + 1) + ". " + page.title);
    for (const std::string& sentence : page.say)
      line(sentence, "   ");
    if (!page.word.empty()) line(page.word + ": " + page.meaning, "   | ");
    if (!page.question) return;
    std::string question = "? " + page.question->text;
    if (page.question->kind == QuestionKind::share)
      question += " (a share)";
    else if (page.question->kind != QuestionKind::blocks)
      question += " (" + page.question->unit + ", from 0 to " +
                  lesson_number(page.question->highest, page.question->unit) + ')';
    line(question, "   ");
  }

  void after_lock(const RevealPage& reveal) {
    line("→ " + reveal.gap, "   ");
    for (const std::string& sentence : reveal.say)
      line(sentence, "     ");
    for (const MarkPage& mark : reveal.marks)
      line(mark.text + '.', "     ");
    if (reveal.formula) formula(*reveal.formula);
    if (reveal.curve) curve(*reveal.curve);
  }

 private:
  void formula(const FormulaPage& page) {
    line("Formula: " + page.law + " = " + page.substituted + " = " + page.value +
             "; simulation: " + page.simulated + " (" + page.deviation + ").",
         "     ");
    if (!page.over_seeds.empty()) line("Simulation: " + page.over_seeds + '.', "     ");
    line(page.assumes, "     ");
  }

  void curve(const CurvePage& page) {
    const bool law = page.points.front().law.has_value();
    line(page.figure_title + ':', "     ");
    FigureTable table(law ? std::vector<std::string>{page.title, "simulation", "formula"}
                          : std::vector<std::string>{page.title, "simulation"});
    for (const CurvePoint& point : page.points) {
      std::vector<std::string> row{point.at_text, point.simulated_text};
      if (law) row.push_back(point.law_text);
      table.add(std::move(row));
    }
    table.print(out_);
  }

  std::ostream& out_;
  std::size_t columns_;
};

}  // namespace

void print_lesson(std::ostream& out, const Lesson& lesson, const Glossary& glossary,
                  std::uint64_t seed, bool questions_only, std::size_t columns) {
  Sheet sheet(out, columns);
  sheet.line("Lesson " + std::to_string(lesson.number) + ": " + lesson.title);
  sheet.line(lesson.goal);
  sheet.line("seed " + std::to_string(seed));
  LessonPlayer player(lesson, glossary, seed, nullptr, questions_only);
  for (;;) {
    sheet.before_lock(player.page());
    player.show_me();
    if (player.page().reveal && !questions_only) sheet.after_lock(*player.page().reveal);
    if (!player.can_go_on()) break;
    player.next();
  }
}

}  // namespace vacancy
