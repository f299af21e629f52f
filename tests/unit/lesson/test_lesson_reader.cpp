// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "sim/units/error.hpp"
#include "tests/unit/lesson/lesson_folder.hpp"

using namespace vacancy;
using vacancy::test::LessonFolder;
using vacancy::test::small_lesson;
using vacancy::test::small_scenario;

namespace {

/// The lesson with one place of it changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = small_lesson;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("nothing to change: " + from);
  return text.replace(at, from.size(), to);
}

std::string message(const std::string& lesson, const std::string& scenario = small_scenario) {
  const LessonFolder folder(lesson, scenario);
  try {
    folder.load();
    return "(no fault)";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A lesson with everything in it is read") {
  const LessonFolder folder;
  const Lesson lesson = folder.load();
  CHECK(lesson.number == 7);
  CHECK(lesson.seed == 5);
  CHECK(lesson.steps.size() == 3);
  CHECK(lesson.runs.size() == 2);
  CHECK(lesson.figures.size() == 7);
  CHECK(lesson.about == "# Small\n");
}

TEST_CASE("Every fault of a lesson is a sentence with its place") {
  struct Case {
    std::string from, to, pointer, sentence;
  };
  const Case cases[] = {
      {"{\n  \"title\"", "[\n  \"title\"", "/", "not valid JSON"},
      {"\"title\": \"Small\"", "\"titel\": \"Small\"", "/titel", "Did you mean \"title\"?"},
      {"\"title\": \"Small\",", "", "/", "the key \"title\" is missing"},
      {"\"title\": \"Small\"", "\"title\": 7", "/title", "a text of one line"},
      {"\"title\": \"Small\"", "\"title\": \"\"", "/title", "not empty"},
      {"\"title\": \"Small\"", "\"title\": \"Small 7\"", "/title", "is a number of its own"},
      {"\"goal\": \"Show", "\"goal\": \"{blocks} Show", "/goal", "figures have no place here"},
      {"\"runs\": {\"main\"", "\"runs\": {\"Main\"", "/runs/Main", "is no name"},
      {"{\"reclaim.kind\": \"slide\"}", "7", "/runs/slide", "expected an object of settings"},
      {"\"reclaim.kind\": \"slide\"", "\"reclaim.kind\": \"slid\"", "/reclaim/kind",
       "Did you mean \"slide\"?"},
      {"\"setting\": \"workload.prompt_tokens\"", "\"setting\": \"workload.prompt\"",
       "/figures/tokens/setting", "is no key of the scenario"},
      {"{\"setting\": \"eviction.budget\"", "{\"setting\": \"eviction.budget\", \"value\": \"1\"",
       "/figures/kept", "this one has 2"},
      {"\"count\": \"held_blocks\"", "\"count\": \"held_block\"", "/figures/blocks/count",
       "Did you mean \"held_blocks\"?"},
      {"\"at\": \"before_eviction\", \"unit\"", "\"unit\"", "/figures/blocks",
       "the key \"at\" is missing"},
      {"\"at\": \"before_eviction\", \"unit\"", "\"at\": {\"share\": 2}, \"unit\"",
       "/figures/blocks/at/share", "from 0 to 1, got 2"},
      {"\"at\": \"before_eviction\", \"unit\"", "\"at\": {}, \"unit\"", "/figures/blocks/at",
       "one of the keys event and share"},
      {"\"expect\": 80", "\"within\": 1", "/figures/blocks/within", "belongs to \"expect\""},
      {"(tokens - kept) / tokens", "(tokens - kept / tokens", "/figures/share/value",
       "closing bracket"},
      {"(tokens - kept) / tokens", "(tokens - kep) / tokens", "/figures/share/value",
       "Did you mean \"kept\"?"},
      {"returned / blocks", "back / blocks", "/figures/back/value", "made from itself"},
      {"reclaim.blocks_freed_by_eviction", "reclaim.blocks_freed", "/figures/returned/summary",
       "is no figure of a summary"},
      {"\"word\": \"block\"", "\"word\": \"blok\"", "/steps/0/word", "Did you mean \"block\"?"},
      {"There are {blocks} blocks.", "There are 80 blocks.", "/steps/0/say/0",
       "is a number of its own"},
      {"There are {blocks} blocks.", "There are {blocks blocks.", "/steps/0/say/0",
       "an open brace has no closing one"},
      {"There are {blocks} blocks.", "There are {} blocks.", "/steps/0/say/0",
       "the braces are empty"},
      {"There are {blocks} blocks.", "There are {blokcs}.", "/steps/0/say/0",
       "Did you mean \"blocks\"?"},
      {"Of {tokens} tokens {kept} stay.", "{returned} come back.", "/steps/1/say/0",
       "tells {returned} before an answer is locked"},
      {"There are {blocks} blocks.", "In the end {returned}.", "/steps/1/ask/expected",
       "which is known by then"},
      {"\"highest\": \"blocks\"", "\"highest\": \"returned\"", "/steps/1/ask/highest",
       "before an answer is locked"},
      {"\"kind\": \"slider\"", "\"kind\": \"share\"", "/steps/1/ask/highest",
       "is no key of a question of kind share"},
      {"\"kind\": \"slider\"", "\"kind\": \"slide\"", "/steps/1/ask/kind",
       "Did you mean \"slider\"?"},
      {"\"highlight\": [0, 3]", "\"highlight\": [0, -3]", "/steps/0/show/highlight",
       "the numbers of blocks"},
      {"\"show\": {\"at\": \"after_eviction\"}, \"histogram\"",
       "\"show\": {\"at\": \"after_eviction\", \"table\": 0}, \"histogram\"",
       "/steps/1/reveal/show/table", "not to its reveal"},
      {"\"say\": [\"Now the blocks.\"], \"show\": {\"at\": \"before_eviction\"},",
       "\"say\": [\"Now the blocks.\"],", "/steps/2/ask", "both need \"show\""},
      {"\"binomial\": \"share\"", "\"binomial\": \"blocks\"", "/steps/1/reveal/binomial",
       "needs a figure with the unit share"},
      {"\"histogram\": true, \"binomial\"", "\"binomial\"", "/steps/1/reveal/binomial",
       "the law beside a histogram"},
      {"\"symbols\": {\"e\": \"share\", ", "\"symbols\": {", "/steps/1/reveal/formula/law",
       "the symbol \"e\" is missing"},
      {"\"e\": \"share\", ", "\"e\": \"share\", \"n\": \"tokens\", ",
       "/steps/1/reveal/formula/symbols/n", "no such symbol"},
      {", \"title\": \"Blocks that come back\"", "", "/steps/1/ask/expected",
       "{returned} stands on an axis"},
      {", \"title\": \"Blocks that come back, in %\"", "", "/steps/1/reveal/curve/figure",
       "{back} stands on an axis"},
      {"Blocks that come back, in %", "Blocks of 8", "/figures/back/title",
       "is a number of its own"},
      {"\"values\": [1, 8]", "\"values\": []", "/steps/1/reveal/curve/values", "an empty one"},
      {"\"values\": [1, 8]", "\"values\": [0, 8]", "/cache/block_size",
       "an integer from 1 to 4096"},
      {"\"figures\": {", "\"figures\": {\"tokens\": {\"value\": \"1\"}, ", "/figures/tokens",
       "stands twice"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.from, each.to);
    const std::string text = message(changed(each.from, each.to));
    CHECK(text.find(each.pointer) != std::string::npos);
    CHECK(text.find(each.sentence) != std::string::npos);
    CHECK(text.find("lesson.json:") != std::string::npos);
  }
}

TEST_CASE("Faults of the scenario name its own file and line") {
  std::string scenario = small_scenario;
  scenario.replace(scenario.find("\"budget\": 80"), 12, "\"budget\": 0");
  const std::string text = message(small_lesson, scenario);
  CHECK(text.find("scenario.json:5: /eviction/budget: expected an integer") != std::string::npos);
  CHECK(text.find('\n') == std::string::npos);  // once, though there are two runs
}

TEST_CASE("A folder without a number is no lesson") {
  const LessonFolder folder(small_lesson, small_scenario, "small");
  CHECK_THROWS_WITH(folder.load(), Catch::Contains("NN-name"));
}
