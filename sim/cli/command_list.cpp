// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "sim/cli/commands.hpp"
#include "sim/cli/listing.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/text_table.hpp"
#include "sim/json/json_text.hpp"
#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

struct ListOptions {
  std::optional<std::string> kind, name;
  bool json = false;
};

const Listing& find_listing(const std::string& kind) {
  std::vector<std::string_view> kinds;
  for (const Listing& listing : listings()) {
    if (listing.kind == kind) return listing;
    kinds.push_back(listing.kind);
  }
  std::string all;
  for (const std::string_view name : kinds)
    all += (all.empty() ? "" : ", ") + std::string(name);
  throw UserError("There is no kind \"" + kind + "\" to list." + did_you_mean(kind, kinds) +
                  " Kinds: " + all + ".");
}

void print_kinds(const Console& console) {
  NameTable table;
  for (const Listing& listing : listings())
    table.add(std::string(listing.kind), std::string(listing.summary));
  table.print(console.out, console.columns);
}

void print_entries(const std::vector<EntryInfo>& entries, const Console& console) {
  const bool plain = std::all_of(entries.begin(), entries.end(),
                                 [](const EntryInfo& e) { return e.parameters.empty(); });
  if (plain) {
    NameTable table;
    for (const EntryInfo& entry : entries)
      table.add(entry.name, entry.summary);
    table.print(console.out, console.columns);
    return;
  }
  for (const EntryInfo& entry : entries) {
    console.out << entry.name << "\n  " << wrapped(entry.summary, console.columns - 2, "  ")
                << '\n';
    if (!entry.citation.empty())
      console.out << "  " << wrapped("[" + entry.citation + "]", console.columns - 2, "  ") << '\n';
    if (!entry.settings.empty())
      console.out << "  " << wrapped(settings_sentence(entry), console.columns - 2, "  ") << '\n';
    NameTable table;
    for (const Parameter& parameter : entry.parameters)
      table.add(parameter.name, parameter.help + " (" + value_text(parameter) + ")");
    table.print(console.out, console.columns, 4);
  }
}

void keep_only(const std::string& name, const std::string& kind, std::vector<EntryInfo>& entries) {
  std::vector<std::string> names;
  for (const EntryInfo& entry : entries)
    names.push_back(entry.name);
  std::erase_if(entries, [&](const EntryInfo& entry) { return entry.name != name; });
  if (entries.empty())
    throw UserError("There is no \"" + name + "\" among the " + kind + " (vacancy list " + kind +
                    ")." + did_you_mean(name, names));
}

int list(const ListOptions& options, const Console& console) {
  if (!options.kind) {
    print_kinds(console);
    return exit_ok;
  }
  const Listing& listing = find_listing(*options.kind);
  if (options.name && listing.file) {
    console.out << listing.file(*options.name);
    return exit_ok;
  }
  auto entries = listing.entries();
  if (options.name) keep_only(*options.name, *options.kind, entries);
  if (!options.json) {
    print_entries(entries, console);
    return exit_ok;
  }
  auto array = nlohmann::ordered_json::array();
  for (const EntryInfo& entry : entries)
    array.push_back(to_json(entry));
  console.out << json_text(array);
  return exit_ok;
}

}  // namespace

void add_list_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command =
      *app.add_subcommand("list", "List what a scenario can name, with every parameter.");
  CLI::Option* kind =
      command.add_option("kind", options->kind, "What to list; without it, the kinds.")
          ->type_name("KIND");
  command
      .add_option("name", options->name,
                  "Only this one; of models, devices and engines their JSON file, to copy and "
                  "change.")
      ->type_name("NAME");
  command
      .add_flag("--json", options->json,
                "A JSON array of objects: name, summary, citation where there is one, parameters.")
      ->needs(kind);
  command.footer(
      "Examples:\n  vacancy list policies\n  vacancy list models --json\n"
      "  vacancy list engines vllm-0.19.0 > mine.json");
  command.callback([options, &console, &exit_code] { exit_code = list(*options, console); });
}

}  // namespace vacancy
