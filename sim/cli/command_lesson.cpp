// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/cli/commands.hpp"
#include "sim/cli/lesson_sheet.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/json/json_text.hpp"
#include "sim/lesson/lesson_lab.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

struct LessonOptions {
  std::string lesson;
  std::optional<std::uint64_t> seed;
  bool questions = false, json = false;
};

void list_lessons(const Console& console) {
  const auto folder = default_lessons_folder();
  const Glossary glossary = load_glossary(folder);
  NameTable table;
  for (const auto& each : lesson_folders(folder)) {
    const Lesson lesson = load_lesson(each, glossary);
    table.add(std::to_string(lesson.number), lesson.title + ": " + lesson.goal);
  }
  table.print(console.out, console.columns);
}

/// A number is that of a lesson of the project; anything else is a folder.
std::filesystem::path folder_of(const std::string& lesson) {
  std::uint32_t number = 0;
  const char* const end = lesson.data() + lesson.size();
  if (const auto [at, error] = std::from_chars(lesson.data(), end, number);
      error != std::errc() || at != end)
    return lesson;
  const auto folder = default_lessons_folder();
  const std::string head = (number < 10 ? "0" : "") + std::to_string(number) + '-';
  for (const auto& each : lesson_folders(folder))
    if (each.filename().string().starts_with(head)) return each;
  throw UserError("There is no lesson " + lesson + " in " + folder.string() +
                  "; `vacancy lesson` lists them.");
}

std::string figures_json(const Lesson& lesson, std::uint64_t seed) {
  LessonLab lab(lesson, seed);
  auto figures = nlohmann::ordered_json::object();
  for (const auto& [name, figure] : lesson.figures) {
    const double value = lab.figure(name);
    if (!std::isfinite(value))
      figures[name] = nullptr;
    else if (value == std::floor(value) && std::abs(value) < 0x1p53)
      figures[name] = static_cast<std::int64_t>(value);
    else
      figures[name] = value;
  }
  nlohmann::ordered_json result;
  result["lesson"] = lesson.name;
  result["seed"] = seed;
  result["figures"] = std::move(figures);
  return json_text(result);
}

int lesson(const LessonOptions& options, const Console& console) {
  if (options.lesson.empty()) {
    list_lessons(console);
    return exit_ok;
  }
  const auto folder = folder_of(options.lesson);
  const Glossary glossary =
      load_glossary(folder.has_parent_path() ? folder.parent_path() : std::filesystem::path("."));
  const Lesson lesson = load_lesson(folder, glossary);
  const std::uint64_t seed = options.seed.value_or(lesson.seed);
  if (options.json)
    console.out << figures_json(lesson, seed);
  else
    print_lesson(console.out, lesson, glossary, seed, options.questions, console.columns);
  return exit_ok;
}

}  // namespace

void add_lesson_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<LessonOptions>();
  CLI::App& command =
      *app.add_subcommand("lesson",
                          "Print a lesson with the numbers of this seed; without one, "
                          "list them.");
  command.add_option("lesson", options->lesson, "Number of a lesson, or its folder.")
      ->type_name("LESSON");
  command.add_option("--seed", options->seed, "Another seed: another exercise of the same kind.")
      ->check(whole_number())
      ->type_name("N");
  CLI::Option* const questions = command.add_flag(
      "--questions", options->questions, "A sheet to hand out: the questions without the answers.");
  command.add_flag("--json", options->json, "The lesson's figures as JSON.")->excludes(questions);
  command.footer(
      "Examples:\n"
      "  vacancy lesson 2 --questions\n"
      "  vacancy lesson 2 --seed 7");
  command.callback([options, &console, &exit_code] { exit_code = lesson(*options, console); });
}

}  // namespace vacancy
