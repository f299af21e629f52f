// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/usage_error.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// The first argument without a name that is missing, as the help shows it: FILE.
std::string missing_argument(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional() && option->get_lnames().empty() && option->get_required() &&
        option->count() == 0)
      return option->get_type_name();
  return "";
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

}  // namespace

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* innermost = &app;
  std::string help = "vacancy";
  for (auto chosen = app.get_subcommands(); !chosen.empty();
       chosen = innermost->get_subcommands()) {
    innermost = chosen.front();
    help += ' ' + innermost->get_name();
  }
  const CLI::App& command = *innermost;
  const bool command_missing = !command_names(command).empty();
  const std::string see_help = " See " + help + " --help.";
  const std::vector<std::string> rest = command.remaining();
  if (!rest.empty()) {
    const std::string& first = rest.front();
    if (first.starts_with('-')) {
      const std::string name = first.substr(0, first.find('='));
      return "Unknown option " + name + "." + did_you_mean(name, option_names(command)) + see_help;
    }
    if (command_missing)
      return "Unknown command \"" + first + "\"." + did_you_mean(first, command_names(command)) +
             see_help;
    return "Unexpected argument \"" + first + "\"." + see_help;
  }
  if (command_missing) {
    std::string all;
    for (const std::string& name : command_names(command))
      all += (all.empty() ? "" : ", ") + name;
    return "A command is missing: one of " + all + "." + see_help;
  }
  if (const std::string missing = missing_argument(command);
      error.get_name() == "RequiredError" && !missing.empty())
    return missing + " is missing." + see_help;
  std::string text = error.what();
  if (!text.ends_with('.')) text += '.';
  return text + see_help;
}

}  // namespace vacancy
