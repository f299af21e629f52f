// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/lesson/lesson.hpp"

namespace vacancy::test {

inline const std::string small_scenario = R"({
  "seed": 5,
  "model": "qwen3-8b",
  "cache": {"block_size": 8},
  "eviction": {"policy": "random", "scope": "model", "budget": 80, "prompt": "evictable",
               "trigger": "once", "once": {"at": "end"}},
  "workload": {"sequences": 1, "prompt_tokens": 640}
})";

inline const std::string small_lesson = R"({
  "title": "Small",
  "goal": "Show all that a lesson can have.",
  "runs": {"main": {}, "slide": {"reclaim.kind": "slide"}},
  "figures": {
    "tokens": {"setting": "workload.prompt_tokens", "unit": "tokens"},
    "kept": {"setting": "eviction.budget", "unit": "tokens"},
    "size": {"setting": "cache.block_size", "unit": "slots"},
    "blocks": {"count": "held_blocks", "at": "before_eviction", "unit": "blocks", "expect": 80},
    "share": {"value": "(tokens - kept) / tokens", "unit": "share"},
    "returned": {"summary": "reclaim.blocks_freed_by_eviction", "unit": "blocks", "title": "Blocks that come back"},
    "back": {"value": "returned / blocks", "unit": "share", "title": "Blocks that come back, in %"}
  },
  "steps": [
    {"title": "Look", "word": "block", "say": ["There are {blocks} blocks."],
     "show": {"at": "before_eviction", "highlight": [0, 3], "table": 0}},
    {"title": "Say", "say": ["Of {tokens} tokens {kept} stay."],
     "show": {"at": "before_eviction"},
     "ask": {"kind": "slider", "text": "How many of {blocks}?", "expected": "returned",
             "highest": "blocks", "within": 2, "said": "The pool returned"},
     "reveal": {"title": "So", "headline": "{back}", "note": "{returned} blocks", "say": ["{returned} came back."],
                "show": {"at": "after_eviction"}, "histogram": true, "binomial": "share",
                "marks": [{"text": "all", "figure": "blocks"}],
                "formula": {"law": "e^B", "symbols": {"e": "share", "B": "size"}, "figure": "back",
                            "within": 0.3, "assumes": "Nothing.", "seeds": 3},
                "curve": {"title": "Size", "key": "cache.block_size", "values": [1, 8], "figure": "back"}}},
    {"title": "Pick", "say": ["Now the blocks."], "show": {"at": "before_eviction"},
     "ask": {"kind": "blocks", "text": "Which?", "blocks": "freed", "said": "The pool returned"},
     "reveal": {"title": "These", "say": ["They were empty."], "show": {"at": "after_eviction"}}}
  ]
})";

/// A folder with one lesson that goes away with the object.
class LessonFolder {
 public:
  explicit LessonFolder(const std::string& lesson = small_lesson,
                        const std::string& scenario = small_scenario,
                        const std::string& name = "07-small")
      : root_(std::filesystem::temp_directory_path() /
              ("vacancy_lessons_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_ / name);
    path_ = root_ / name;
    std::ofstream(path_ / "lesson.json") << lesson;
    std::ofstream(path_ / "scenario.json") << scenario;
    std::ofstream(path_ / "lesson.md") << "# Small\n";
  }
  LessonFolder(const LessonFolder&) = delete;
  LessonFolder& operator=(const LessonFolder&) = delete;
  ~LessonFolder() { std::filesystem::remove_all(root_); }

  const std::filesystem::path& path() const { return path_; }
  static Glossary glossary() { return {{"block", "slots together"}, {"hole", "a slot"}}; }
  Lesson load() const { return load_lesson(path_, glossary()); }

 private:
  std::filesystem::path root_, path_;
};

}  // namespace vacancy::test
