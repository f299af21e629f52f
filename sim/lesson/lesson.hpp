// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/lesson/expression.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/sweep/sampling.hpp"

namespace vacancy {

/// A moment of a run.
struct LessonMoment {
  enum class Kind { start, before_eviction, after_eviction, end, event, share };
  Kind kind = Kind::end;
  std::uint64_t event = 0;  // so many events have happened
  double share = 0;         // this share of all events has

  bool operator==(const LessonMoment&) const = default;
};

template <>
struct EnumNames<LessonMoment::Kind> {
  static constexpr EnumName<LessonMoment::Kind> table[] = {
      {LessonMoment::Kind::start, "start"},
      {LessonMoment::Kind::before_eviction, "before_eviction"},
      {LessonMoment::Kind::after_eviction, "after_eviction"},
      {LessonMoment::Kind::end, "end"}};
};

/// A run of the lesson at a moment: what a picture shows and counts are taken from.
struct LessonState {
  std::string run;
  LessonMoment at;

  bool operator==(const LessonState&) const = default;
};

/// What can be counted in a state.
enum class PoolCount {
  blocks,
  held_blocks,
  free_blocks,
  full_blocks,
  blocks_with_holes,
  live_slots,
  hole_slots,
  tail_slots
};

template <>
struct EnumNames<PoolCount> {
  static constexpr EnumName<PoolCount> table[] = {
      {PoolCount::blocks, "blocks"},
      {PoolCount::held_blocks, "held_blocks"},
      {PoolCount::free_blocks, "free_blocks"},
      {PoolCount::full_blocks, "full_blocks"},
      {PoolCount::blocks_with_holes, "blocks_with_holes"},
      {PoolCount::live_slots, "live_slots"},
      {PoolCount::hole_slots, "hole_slots"},
      {PoolCount::tail_slots, "tail_slots"}};
};

/// A number that a lesson speaks of. Never written into it: the simulator gives it.
struct LessonFigure {
  enum class Kind {
    setting,  // of the scenario, such as workload.prompt_tokens: no secret
    summary,  // of the run's summary, such as reclaim.blocks_freed_by_eviction
    count,    // in a state
    value     // from other figures
  };
  Kind kind = Kind::value;
  std::string run;  // of setting and summary
  std::string key;  // likewise
  LessonState state;
  PoolCount count = PoolCount::blocks;
  std::optional<Expression> value;
  std::string unit;   // "blocks", "tokens", "slots", "share", "bytes" …
  std::string title;  // at an axis, with the unit: "Blocks that come back"; empty: on none
  /// What the author had in mind: sentences may rely on it for every seed. Within 0: for the
  /// figure that no seed changes.
  std::optional<double> expect;
  double within = 0;
};

enum class QuestionKind { number, share, slider, blocks };

template <>
struct EnumNames<QuestionKind> {
  static constexpr EnumName<QuestionKind> table[] = {{QuestionKind::number, "number"},
                                                     {QuestionKind::share, "share"},
                                                     {QuestionKind::slider, "slider"},
                                                     {QuestionKind::blocks, "blocks"}};
};

/// Which blocks a question about blocks is after: those that differ between the two pictures, or
/// those that were held in the first and are free in the second.
enum class BlockAnswer { changed, freed };

template <>
struct EnumNames<BlockAnswer> {
  static constexpr EnumName<BlockAnswer> table[] = {{BlockAnswer::changed, "changed"},
                                                    {BlockAnswer::freed, "freed"}};
};

struct LessonQuestion {
  QuestionKind kind = QuestionKind::number;
  std::string text;
  std::string expected;  // a figure; empty for blocks
  BlockAnswer blocks = BlockAnswer::changed;
  std::string highest;  // a figure: the end of the axis and of the slider; a share ends at 1
  double within = 0;    // an answer so near counts as right, in the figure's unit
  std::string said;     // "The pool returned": stands before the truth
};

/// A closed form beside the simulation.
struct LessonFormula {
  std::optional<Expression> law;
  std::vector<std::pair<std::string, std::string>> symbols;  // of the law, and their figures
  std::string figure;                                        // what the law is about
  double within = 0;                                         // largest deviation that is none
  std::string assumes;
  std::uint32_t seeds = 0;  // so many runs for a mean; 0: only this one
};

/// One setting at several values, and a figure at each.
struct LessonCurve {
  std::string title, run, key, figure;
  std::vector<JsonNode> values;
  std::string unit;  // of the values
};

/// A figure beside answer and truth on the axis.
struct LessonMark {
  std::string text, figure;
};

struct LessonReveal {
  std::string title, headline, note;
  std::vector<std::string> say;
  std::optional<LessonState> show;
  std::vector<LessonMark> marks;
  std::optional<LessonFormula> formula;
  std::optional<LessonCurve> curve;
  bool histogram = false;  // blocks by live slots
  std::string binomial;  // a figure, the share of slots that are emptied: law beside the histogram
};

struct LessonStep {
  Place place;
  std::string title;
  std::string word;  // of the glossary, new in this step
  std::vector<std::string> say;
  std::optional<LessonState> show;
  std::vector<std::uint32_t> highlight;  // blocks
  std::optional<std::uint32_t> table;    // the sequence whose block table is drawn
  std::optional<LessonQuestion> ask;
  std::optional<LessonReveal> reveal;  // of the answer; a step without a question has none
};

/// A lesson, read and checked.
struct Lesson {
  std::filesystem::path folder;
  std::uint32_t number = 0;  // of the folder's name, as all of this line
  std::string name;          // "02-what-comes-back"
  std::string title, goal;
  std::string about;  // lesson.md
  std::map<std::string, std::vector<Setting>> runs;
  std::map<std::string, LessonFigure> figures;
  std::vector<LessonStep> steps;
  std::string scenario_text;
  std::uint64_t seed = 0;  // of the scenario

  const LessonFigure& figure(const std::string& name_of_it) const {
    return figures.find(name_of_it)->second;
  }
};

/// Words and what they mean, in the order in which lessons bring them up.
using Glossary = std::vector<std::pair<std::string, std::string>>;

/// Reads lesson.json, lesson.md and scenario.json of a folder. Throws one UserError that lists
/// every fault with its place.
Lesson load_lesson(const std::filesystem::path& folder, const Glossary& glossary);

/// The lessons of a folder by number: NN-name/. Throws UserError if there are none.
std::vector<std::filesystem::path> lesson_folders(const std::filesystem::path& folder);
/// glossary.md in the folder of the lessons: a line "- **word**: meaning" for each word.
Glossary load_glossary(const std::filesystem::path& folder);
/// Where the lessons lie: VACANCY_LESSONS_DIR, those installed with the program, or
/// scenarios/lessons of the project.
std::filesystem::path default_lessons_folder();

}  // namespace vacancy
