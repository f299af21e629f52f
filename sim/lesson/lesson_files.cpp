// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "sim/lesson/lesson.hpp"
#include "sim/lesson/lesson_reader.hpp"
#include "sim/lesson/lesson_run.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace fs = std::filesystem;

namespace {

/// "02-what-comes-back" -> 2; 0 where the name is no such one.
std::uint32_t number_of(const std::string& name) {
  const bool numbered = name.size() > 3 && name[0] >= '0' && name[0] <= '9' && name[1] >= '0' &&
                        name[1] <= '9' && name[2] == '-';
  return numbered ? static_cast<std::uint32_t>((name[0] - '0') * 10 + name[1] - '0') : 0;
}

}  // namespace

Lesson load_lesson(const fs::path& folder, const Glossary& glossary) {
  Lesson lesson;
  lesson.folder = folder;
  lesson.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  lesson.number = number_of(lesson.name);
  if (lesson.number == 0)
    throw UserError(folder.string() +
                    ": a lesson is a folder NN-name with a number from 01 on, such as "
                    "02-what-comes-back.");
  const fs::path file = folder / "lesson.json", scenario = folder / "scenario.json";
  const std::string text = read_text_file(file);
  lesson.scenario_text = read_text_file(scenario);
  lesson.about = read_text_file(folder / "lesson.md");

  Diagnostics faults(file.string(), folder);
  const std::uint32_t scenario_origin = faults.add_file(scenario.string(), folder);
  const auto root = parse_json(text, 0, faults);
  if (!root) faults.throw_if_any();
  read_lesson(*root, lesson, faults);
  faults.throw_if_any();
  check_names(*root, lesson, glossary, faults);
  faults.throw_if_any();
  check_runs(*root, lesson, scenario_origin, faults);
  faults.throw_if_any();
  lesson.seed =
      scenario_of(lesson, lesson.runs.begin()->first, {}, std::nullopt, scenario_origin, faults)
          .value()
          .seed;
  return lesson;
}

std::vector<fs::path> lesson_folders(const fs::path& folder) {
  std::error_code unreadable;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, unreadable))
    if (entry.is_directory() && number_of(entry.path().filename().string()) > 0)
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  if (folders.empty())
    throw UserError(folder.string() +
                    ": there are no lessons in it, folders such as 02-what-comes-back. Name "
                    "another with VACANCY_LESSONS_DIR.");
  return folders;
}

Glossary load_glossary(const fs::path& folder) {
  constexpr std::string_view open = "- **", close = "**: ";
  const fs::path file = folder / "glossary.md";
  Diagnostics faults(file.string(), folder);
  Glossary glossary;
  std::istringstream lines(read_text_file(file));
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    if (!line.starts_with('-')) continue;  // a heading, or words for people
    const std::size_t end = line.find(close);
    if (line.starts_with(open) && end != std::string::npos && end > open.size() &&
        end + close.size() < line.size())
      glossary.emplace_back(line.substr(open.size(), end - open.size()),
                            line.substr(end + close.size()));
    else
      faults.add({0, number, 1}, "", "a word stands in a line of its own: - **word**: meaning");
  }
  faults.throw_if_any();
  return glossary;
}

fs::path default_lessons_folder() {
  if (const char* folder = std::getenv("VACANCY_LESSONS_DIR"); folder && *folder) return folder;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  const fs::path installed =
      program.parent_path().parent_path() / "share/vacancy/scenarios/lessons";
  if (!program.empty() && fs::is_directory(installed, none)) return installed;
  return fs::path(VACANCY_SOURCE_DIR) / "scenarios" / "lessons";
}

}  // namespace vacancy
