// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/form_tree.hpp"

#include <algorithm>

#include "gui/model/form/field_entry.hpp"

namespace vacancy::gui {

namespace {

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + '.' + name;
}

FormSection form_of(const SchemaSection& schema, std::string path, std::string pointer,
                    std::string chooser) {
  FormSection form{&schema, std::move(path), std::move(pointer), std::move(chooser), {}, {}};
  for (const SchemaKey& key : schema.keys)
    form.fields.push_back({&key, joined(form.path, key.parameter.name),
                           child_pointer(form.pointer, key.parameter.name)});
  for (const SchemaSection& inner : schema.sections)
    form.sections.push_back(
        form_of(inner, joined(form.path, inner.name), child_pointer(form.pointer, inner.name),
                inner.chosen_by.empty() ? "" : joined(form.path, inner.chosen_by)));
  return form;
}

void collect(const FormSection& section, std::vector<const FormField*>& fields) {
  for (const FormField& field : section.fields)
    fields.push_back(&field);
  for (const FormSection& inner : section.sections)
    collect(inner, fields);
}

/// What the scenario resolved a key to, where it could.
const ParameterValue* resolved(std::string_view path, const CheckedScenario& checked) {
  if (!checked.scenario) return nullptr;
  const std::size_t dot = path.rfind('.');
  const auto section =
      checked.scenario->values.find(dot == std::string_view::npos ? "" : path.substr(0, dot));
  if (section == checked.scenario->values.end()) return nullptr;
  const auto& values = section->second.values;
  const auto value = values.find(dot == std::string_view::npos ? path : path.substr(dot + 1));
  return value == values.end() ? nullptr : &value->second;
}

const FormField* find_field(const FormSection& section, std::string_view path) {
  for (const FormField* field : all_fields(section))
    if (field->path == path) return field;
  return nullptr;
}

}  // namespace

const FormSection& form_tree() {
  static const FormSection tree = form_of(scenario_schema(), "", "", "");
  return tree;
}

FormSection length_section(const FormField& field, std::string_view distribution) {
  for (const SchemaSection& form : length_forms())
    if (form.name == distribution) return form_of(form, field.path, field.pointer, "");
  return {nullptr, field.path, field.pointer, "", {}, {}};
}

std::vector<const FormField*> all_fields(const FormSection& section) {
  std::vector<const FormField*> fields;
  collect(section, fields);
  return fields;
}

bool is_used(const FormSection& section, const CheckedScenario& scenario) {
  if (section.chooser.empty()) return true;
  const FormField* chooser = find_field(form_tree(), section.chooser);
  return chooser && effective_entry(*chooser, scenario) == section.schema->name;
}

std::string effective_entry(const FormField& field, const CheckedScenario& scenario) {
  if (scenario.tree)
    if (const JsonNode* node = find_node(*scenario.tree, field.pointer);
        node && node->kind != JsonNode::Kind::null)
      return entry_of(*node);
  if (const ParameterValue* value = resolved(field.path, scenario)) return entry_of(*value);
  return entry_of(field.key->parameter.default_value);
}

}  // namespace vacancy::gui
