// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/commands.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/conformance/conformance.hpp"
#include "sim/json/json_text.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

constexpr std::size_t failures_shown = 5;  // of one file

struct ConformanceOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct CheckedFile {
  std::string name;
  CorpusResult result;
};

CheckedFile check(const std::string& file, const InterruptGuard& guard, const Console& console) {
  Progress progress(console, true, "cases of " + file);
  return {file, check_corpus(file, [&](std::uint64_t cases) {
            if (guard.interrupted()) throw Cancelled();
            progress.update(cases, 0);
          })};
}

void print(const std::vector<CheckedFile>& files, const Console& console) {
  FigureTable table({"", "cases", "as printed"});
  for (const CheckedFile& file : files)
    table.add({file.name + " (" + file.result.kind + ")", format_count(file.result.cases),
               format_count(file.result.cases - file.result.failures.size())});
  table.print(console.out);
  for (const CheckedFile& file : files) {
    const auto& failures = file.result.failures;
    for (std::size_t i = 0; i < failures.size() && i < failures_shown; ++i)
      console.out << file.name << ", case " << failures[i].number << ": " << failures[i].difference
                  << '\n';
    if (failures.size() > failures_shown)
      console.out << file.name << ": " << format_count(failures.size() - failures_shown)
                  << " more cases differ (--json lists all).\n";
  }
}

nlohmann::ordered_json to_json(const CheckedFile& file) {
  auto failures = nlohmann::ordered_json::array();
  for (const CaseFailure& failure : file.result.failures)
    failures.push_back({{"case", failure.number}, {"difference", failure.difference}});
  return {{"file", file.name},
          {"kind", file.result.kind},
          {"cases", file.result.cases},
          {"passed", file.result.cases - file.result.failures.size()},
          {"failures", std::move(failures)}};
}

int conformance(const ConformanceOptions& options, const Console& console) {
  const InterruptGuard guard;
  std::vector<CheckedFile> files;
  int code = exit_ok;
  for (const std::string& name : options.files) {
    try {
      files.push_back(check(name, guard, console));
      if (!files.back().result.failures.empty() && code == exit_ok) code = exit_unfinished;
    } catch (const UserError& error) {
      console.err << "error: " << error.what() << '\n';
      code = exit_user_error;
    } catch (const Cancelled&) {
      console.err << "Cancelled.\n";
      return exit_cancelled;
    }
  }
  if (options.json) {
    auto array = nlohmann::ordered_json::array();
    for (const CheckedFile& file : files)
      array.push_back(to_json(file));
    console.out << json_text(array);
  } else if (!files.empty()) {
    print(files, console);
  }
  return code;
}

}  // namespace

void add_conformance_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<ConformanceOptions>();
  CLI::App& command = *app.add_subcommand(
      "conformance", "Check engine profiles against what the engines' own code printed.");
  command
      .add_option("files", options->files,
                  "Golden cases: JSON lines, plain or gzip. The cases say which engine they are "
                  "for.")
      ->required()
      ->type_name("FILE");
  command.add_flag("--json", options->json,
                   "A JSON array, alone, on standard output: file, kind, cases, passed, failures.");
  command.footer(
      "Example:\n  vacancy conformance ../shared/conformance/*.jsonl*\n"
      "Exit code 1 if a case came out differently.");
  command.callback([options, &console, &exit_code] { exit_code = conformance(*options, console); });
}

}  // namespace vacancy
