// SPDX-License-Identifier: Apache-2.0
// Every lesson of the project, played: its numbers are the simulator's, its laws hold, and nothing
// is told before it was asked.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "sim/lesson/lesson_text.hpp"
#include "sim/lesson/player.hpp"
#include "sim/scenario/named_object.hpp"
#include "sim/study/scenario_run.hpp"
#include "sim/sweep/run_record.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

namespace {

const std::filesystem::path lessons_folder = test::source_dir() / "scenarios" / "lessons";

const Glossary& glossary() {
  static const Glossary words = load_glossary(lessons_folder);
  return words;
}

const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> all = [] {
    std::vector<Lesson> loaded;
    for (const auto& each : lesson_folders(lessons_folder))
      loaded.push_back(load_lesson(each, glossary()));
    return loaded;
  }();
  return all;
}

/// All words of a page that a reader can see.
std::string told(const StepPage& page) {
  std::string text = page.title + '\n' + page.word + '\n' + page.meaning + '\n';
  for (const std::string& sentence : page.say)
    text += sentence + '\n';
  if (page.question)
    text += page.question->text + '\n' + lesson_number(page.question->highest, page.question->unit);
  if (!page.reveal) return text;
  text += page.reveal->title + '\n' + page.reveal->headline + '\n' + page.reveal->note + '\n' +
          page.reveal->gap + '\n';
  for (const std::string& sentence : page.reveal->say)
    text += sentence + '\n';
  return text;
}

/// "16,000", "11.8": the numbers of a text.
std::vector<std::string> numbers(const std::string& text) {
  static const std::regex number("[0-9][0-9,]*(\\.[0-9]+)?");
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    std::string found = at->str();
    while (found.back() == ',')
      found.pop_back();
    all.push_back(std::move(found));
  }
  return all;
}

/// The figure of a run of its own, apart from the lesson's machinery.
double independent(const Lesson& lesson, const LessonFigure& figure, std::uint64_t seed) {
  ScenarioOverrides overrides;
  overrides.seed = seed;
  for (const Setting& setting : lesson.runs.at(figure.run))
    overrides.assignments.push_back(setting.path + '=' + to_json(setting.value).dump());
  const Scenario scenario =
      load_scenario_text(lesson.scenario_text, "lesson", lesson.folder, overrides);
  const auto run = start_run(scenario);
  while (run->step()) {
  }
  return figure_of(nlohmann::ordered_json::parse(to_json(run->summary())), figure.key)
      .value_or(std::nan(""));
}

}  // namespace

TEST_CASE("Lessons keep what they promise, whatever the seed") {
  REQUIRE(lessons().size() >= 5);
  for (const Lesson& lesson : lessons())
    for (const std::uint64_t seed : {lesson.seed, std::uint64_t{7}, std::uint64_t{2026}})
      CHECK(broken_promises(lesson, seed) == std::vector<std::string>{});
}

TEST_CASE("Every number in a lesson's text is the simulator's") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    LessonLab lab(lesson, lesson.seed);
    std::set<std::string> right;
    for (const auto& [name, figure] : lesson.figures) {
      const double value = lab.figure(name);
      if (figure.kind == LessonFigure::Kind::summary)
        CHECK(value == independent(lesson, figure, lesson.seed));
      for (std::string& number : numbers(lesson_number(value, figure.unit)))
        right.insert(std::move(number));
    }
    LessonPlayer player(lesson, glossary(), lesson.seed);
    for (;;) {
      player.show_me();
      const StepPage& page = player.page();
      if (page.reveal)  // of blocks the player itself counts
        right.insert(std::to_string(page.reveal->truth.blocks.size()));
      if (page.question && page.question->unit == "share") right.insert("100.0");
      for (const std::string& number : numbers(told(page))) {
        CAPTURE(page.title, number);
        CHECK(right.contains(number));
      }
      if (!player.can_go_on()) break;
      player.next();
    }
    CHECK(player.finished());
  }
}

TEST_CASE("Before the lock a page is the same for every seed") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    LessonPlayer one(lesson, glossary(), lesson.seed), other(lesson, glossary(), lesson.seed + 1);
    for (;;) {
      if (one.asking()) {
        CAPTURE(one.page().title);
        // What was told in an earlier reveal may be told again: with blanks for it nothing differs.
        LessonPlayer first(lesson, glossary(), lesson.seed, nullptr, true);
        LessonPlayer second(lesson, glossary(), lesson.seed + 1, nullptr, true);
        first.go_to(one.step());
        second.go_to(one.step());
        CHECK(told(first.page()) == told(second.page()));
        CHECK_FALSE(one.page().reveal);
      }
      one.show_me();
      other.show_me();
      if (!one.can_go_on()) break;
      one.next();
      other.next();
    }
  }
}

TEST_CASE("Each step brings at most one new word, and none is used before its time") {
  std::set<std::string> known;
  for (const Lesson& lesson : lessons())
    for (const LessonStep& step : lesson.steps) {
      if (!step.word.empty()) known.insert(step.word);
      std::string text = step.title;
      for (const std::string& sentence : step.say)
        text += '\n' + sentence;
      if (step.ask) text += '\n' + step.ask->text;
      if (step.reveal)
        for (const std::string& sentence : step.reveal->say)
          text += '\n' + sentence;
      for (const auto& [word, meaning] : glossary()) {
        CAPTURE(lesson.name, step.title, word);
        if (has_word(text, word)) CHECK(known.contains(word));
      }
    }
  CHECK(known.size() == glossary().size());
}

TEST_CASE("Notes for teachers give no result away") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    CHECK(lesson.about.starts_with("# "));
    CHECK(std::none_of(lesson.about.begin(), lesson.about.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; }));
  }
}
