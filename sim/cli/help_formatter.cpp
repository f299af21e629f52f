// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/help_formatter.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "sim/cli/console.hpp"

namespace vacancy {

namespace {

constexpr std::size_t name_width = 20, narrowest_text = 30;

}  // namespace

HelpFormatter::HelpFormatter(std::size_t columns) : columns_(columns) {
  label("SUBCOMMAND", "COMMAND");
  label("Positionals", "Arguments");
}

std::string HelpFormatter::row(const std::string& name, const std::string& text) const {
  const std::string margin(name_width, ' ');
  std::string line = "  " + name;
  if (line.size() + 2 > name_width)
    line += "\n" + margin;
  else
    line.resize(name_width, ' ');
  const std::size_t room = std::max(columns_, name_width + narrowest_text) - name_width;
  return line + wrapped(text, room, margin) + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
  if (positional) return row(option->get_type_name(), option->get_description());
  std::string name = option->get_name(false, true);
  // A flag has no value to name.
  if (option->get_type_size() > 0) name += " " + option->get_type_name();
  return row(name, option->get_description() + (option->get_required() ? " Required." : ""));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return row(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped(app->get_description(), columns_) + '\n';
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string result, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += wrapped(paragraph, columns_) + '\n';
    paragraph.clear();
  };
  std::istringstream lines(app->get_footer());
  for (std::string line; std::getline(lines, line);)
    if (line.empty() || line.front() == ' ') {
      end_paragraph();
      result += line + '\n';
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      if (line.back() == ':') end_paragraph();
    }
  end_paragraph();
  return result;
}

}  // namespace vacancy
