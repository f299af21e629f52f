// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/reference.hpp"

#include <nlohmann/json.hpp>

#include "sim/scenario/schema.hpp"

namespace vacancy {

namespace {

std::string default_text(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return text->empty() ? "`\"\"`" : '`' + *text + '`';
  if (const auto* number = std::get_if<double>(&value)) return bound_text(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return "–";
}

/// Text in a table cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string row(const std::string& path, const SchemaKey& key) {
  const Parameter& p = key.parameter;
  return "| `" + path + "` | " + cell(expectation(key)) + " | " + p.unit + " | " +
         cell(default_text(p.default_value)) + " | " + cell(p.help) + " |\n";
}

constexpr const char* table_head =
    "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";

void add_tables(const SchemaSection& section, const std::string& path, std::string& out) {
  if (!path.empty()) {
    out += (section.chosen_by.empty() ? "### `" : "#### `") + path + "`\n\n" + section.summary;
    if (!section.chosen_by.empty()) {
      const std::string around = path.substr(0, path.rfind('.'));
      out += " Used with `" + around + '.' + section.chosen_by + "` = `" + section.name + "`.";
    }
    out += "\n\n";
  }
  if (!section.keys.empty()) {
    out += table_head;
    for (const SchemaKey& key : section.keys)
      out += row(path.empty() ? key.parameter.name : path + '.' + key.parameter.name, key);
    out += '\n';
  }
  for (const SchemaSection& inner : section.sections)
    if (!inner.keys.empty() || !inner.sections.empty())
      add_tables(inner, path.empty() ? inner.name : path + '.' + inner.name, out);
}

void add_names(const SchemaSection& section, const std::string& title, std::string& out) {
  out += "### " + title + "\n\n| name | what it does |\n|---|---|\n";
  for (const SchemaSection& inner : section.sections)
    out += "| `" + inner.name + "` | " + cell(inner.summary) + " |\n";
  out += '\n';
}

}  // namespace

std::string scenario_reference() {
  std::string out;
  add_tables(scenario_schema(), "", out);

  SchemaSection policies, sources, reclaimers;
  const auto pick = [](std::string_view around, std::string_view chosen_by, SchemaSection& into) {
    for (const SchemaSection& inner : scenario_schema().section(around)->sections)
      if (inner.chosen_by == chosen_by) into.sections.push_back(inner);
  };
  pick("eviction", "policy", policies);
  pick("attention", "source", sources);
  pick("reclaim", "kind", reclaimers);
  add_names(policies, "Policies", out);
  add_names(sources, "Attention sources", out);
  add_names(reclaimers, "Ways to reclaim", out);

  out += "### Length distributions\n\nThe object form of a length.\n\n";
  for (const SchemaSection& form : length_forms()) {
    out += "#### `" + form.name + "`\n\n" + form.summary + "\n\n" + table_head;
    for (const SchemaKey& key : form.keys)
      out += row(key.parameter.name, key);
    out += '\n';
  }
  out.pop_back();  // one newline at the end
  return out;
}

}  // namespace vacancy
