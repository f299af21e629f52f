// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "sim/lesson/player.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/unit/lesson/lesson_folder.hpp"

using namespace vacancy;
using vacancy::test::LessonFolder;

namespace {

class MapProgress final : public LessonProgress {
 public:
  std::string value(const std::string& key) const override {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
  void set(const std::string& key, const std::string& value) override { values[key] = value; }
  std::map<std::string, std::string> values;
};

}  // namespace

TEST_CASE("A lesson asks, locks, and only then tells") {
  const LessonFolder folder;
  const Lesson lesson = folder.load();
  const Glossary glossary = LessonFolder::glossary();
  LessonPlayer player(lesson, glossary, 5);
  CHECK(player.page().say == std::vector<std::string>{"There are 80 blocks."});
  CHECK(player.page().word == "block");
  CHECK(player.page().meaning == "slots together");
  CHECK(player.page().state->count(PoolCount::live_slots) == 640);
  REQUIRE(player.page().table);
  CHECK(player.page().table->blocks.size() == 80);
  REQUIRE(player.can_go_on());
  player.next();

  REQUIRE(player.asking());
  CHECK_FALSE(player.page().table);
  CHECK_FALSE(player.page().reveal);
  CHECK(player.page().state->count(PoolCount::hole_slots) == 0);
  player.next();  // not before the lock
  CHECK(player.step() == 1);
  CHECK_FALSE(player.lock({-1, {}}));
  CHECK_FALSE(player.lock({81, {}}));
  CHECK_FALSE(player.lock({std::nan(""), {}}));
  REQUIRE(player.lock({70, {}}));
  CHECK_FALSE(player.lock({20, {}}));  // locked is locked

  const RevealPage& told = *player.page().reveal;
  const double truth = told.truth.value;
  CHECK(told.answer->value == 70);
  CHECK(told.gap == "You said 70 blocks. The pool returned " + lesson_number(truth, "blocks") +
                        ": " + lesson_number(70 - truth, "blocks") + " fewer than you expected.");
  CHECK(player.page().state->count(PoolCount::free_blocks) == std::uint64_t(truth));
  CHECK(told.histogram[0] == std::uint64_t(truth));
  REQUIRE(told.histogram_law);
  CHECK(told.histogram_law->text == "80 * C(8, k) * 0.125^k * 0.875^(8-k)");
  REQUIRE(told.histogram_law->blocks.size() == 9);
  CHECK(told.histogram_law->blocks[0] == Approx(80 * std::pow(0.875, 8)));
  CHECK(told.histogram_law->blocks[2] == Approx(80 * 28 * std::pow(0.125, 2) * std::pow(0.875, 6)));
  CHECK(std::accumulate(told.histogram_law->blocks.begin(), told.histogram_law->blocks.end(),
                        0.0) == Approx(80));
  CHECK(told.formula->substituted == "0.875^8");
  CHECK(told.curve->points.size() == 2);
  CHECK(told.curve->points[0].simulated == 0.875);
  CHECK(told.curve->points[1].simulated * 80 == Approx(truth));
  CHECK(player.curve_state(0)->pool.block_size == 1);
}

TEST_CASE("Picked blocks are held against those that came back") {
  const LessonFolder folder;
  const Lesson lesson = folder.load();
  const Glossary glossary = LessonFolder::glossary();
  LessonPlayer player(lesson, glossary, 5);
  player.next();
  player.show_me();
  CHECK_FALSE(player.page().reveal->answer);
  CHECK(player.skipped(1));
  player.next();
  REQUIRE(player.asking());
  REQUIRE(player.lock({0, {3, 1}}));
  const RevealPage& told = *player.page().reveal;
  CHECK(told.answer->blocks == std::vector<std::uint32_t>{1, 3});
  const PoolState& after = *player.page().state;
  for (const std::uint32_t block : told.truth.blocks)
    CHECK(after.pool.cells[block].free());
  CHECK(told.truth.blocks.size() == after.count(PoolCount::free_blocks));
  CHECK(player.finished());
  player.restart();
  CHECK(player.step() == 0);
  CHECK_FALSE(player.passed(2));
}

TEST_CASE("Gaps in words") {
  LessonQuestion question;
  question.said = "The pool returned";
  question.within = 0.01;
  CHECK(gap_sentence(question, "share", 0.9, 0.118) ==
        "You said 90.0 %. The pool returned 11.8 %: 78.2 percentage points less than you "
        "expected.");
  CHECK(gap_sentence(question, "share", 0.11, 0.118) ==
        "You said 11.0 %. The pool returned 11.8 %: 0.8 percentage points more than you expected, "
        "near enough to be right.");
  CHECK(gap_sentence(question, "blocks", 1, 3) ==
        "You said 1 block. The pool returned 3: 2 more than you expected.");
  CHECK(gap_sentence(question, "blocks", 118, 118) ==
        "You said 118 blocks. The pool returned 118: exactly.");
  CHECK(gap_sentence(question, std::vector<std::uint32_t>{1, 2}, {2, 3, 4}) ==
        "You picked 2 blocks. The pool returned 3: 1 of yours, and 2 blocks that you did not "
        "pick.");
  CHECK(gap_sentence(question, std::vector<std::uint32_t>{4}, {4}) ==
        "You picked 1 block. The pool returned 1: exactly yours.");
}

TEST_CASE("Progress is kept between sittings") {
  const LessonFolder folder;
  const Lesson lesson = folder.load();
  const Glossary glossary = LessonFolder::glossary();
  MapProgress progress;
  {
    LessonPlayer player(lesson, glossary, 5, &progress);
    player.next();
  }
  LessonPlayer player(lesson, glossary, 5, &progress);
  CHECK(player.step() == 1);
  CHECK(player.passed(0));
  CHECK_FALSE(LessonPlayer::done(lesson, progress));
  player.show_me();
  player.next();
  player.show_me();
  CHECK(LessonPlayer::done(lesson, progress));
  progress.values["lessons/07-small/step"] = "99 or so";
  CHECK(LessonPlayer(lesson, glossary, 5, &progress).step() == 2);
}

TEST_CASE("Free play opens the step's scenario with its seed") {
  const LessonFolder folder;
  const Lesson lesson = folder.load();
  const Glossary glossary = LessonFolder::glossary();
  LessonPlayer player(lesson, glossary, 99);
  const Scenario scenario = load_scenario_text(player.scenario_text(), "free play", ".");
  CHECK(scenario.seed == 99);
  CHECK(scenario.cache.block_size == 8);
}

TEST_CASE("A sheet has blanks where a reveal tells") {
  const LessonFolder folder(
      std::string(vacancy::test::small_lesson)
          .replace(vacancy::test::small_lesson.find("Now the blocks."), 15, "It was {returned}."));
  const Lesson lesson = folder.load();
  const Glossary glossary = LessonFolder::glossary();
  LessonPlayer player(lesson, glossary, 5, nullptr, true);
  player.next();
  CHECK(player.page().question->text == "How many of 80?");
  player.show_me();
  player.next();
  CHECK(player.page().say.front() == "It was ____.");
}
