// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/json_schema.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "sim/device/device_file.hpp"
#include "sim/model/model_file.hpp"
#include "sim/scenario/schema.hpp"
#include "sim/serving/profile_file.hpp"

namespace vacancy {

namespace {

using Json = nlohmann::ordered_json;

Json object_schema(const SchemaSection& section);

Json value_json(const ParameterValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

Json bound_json(const Parameter& parameter, double bound) {
  if (parameter.type == ParameterType::integer && bound >= 0x1p64)
    return std::numeric_limits<std::uint64_t>::max();  // the limit of a 64-bit member, as a double
  if (parameter.type == ParameterType::integer)
    return bound < 0 ? Json(static_cast<std::int64_t>(bound))
                     : Json(static_cast<std::uint64_t>(bound));
  return bound;
}

void add_range(const Parameter& parameter, Json& schema) {
  if (parameter.minimum) schema["minimum"] = bound_json(parameter, *parameter.minimum);
  if (parameter.maximum) schema["maximum"] = bound_json(parameter, *parameter.maximum);
}

Json integer_schema(const Parameter& parameter) {
  Json schema{{"type", "integer"}};
  add_range(parameter, schema);
  return schema;
}

Json plain_schema(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::boolean:
      return {{"type", "boolean"}};
    case ParameterType::integer:
      return integer_schema(parameter);
    case ParameterType::number: {
      Json schema{{"type", "number"}};
      add_range(parameter, schema);
      return schema;
    }
    case ParameterType::choice:
      return {{"enum", parameter.choices}};
    case ParameterType::path:
      return {{"type", "string"}, {"minLength", 1}};
    case ParameterType::text:
      return {{"type", "string"}};
  }
  return Json::object();
}

/// An object with these keys.
template <class Keys>
Json described_object(const Keys& keys) {
  Json properties = Json::object();
  for (const auto& key : keys) {
    Json schema{{"description", key.help}};
    if (key.type == "integer" || key.type == "tokens") schema["type"] = "integer";
    if (key.type == "number") schema["type"] = "number";
    if (key.type == "text" || key.type == "choice") schema["type"] = "string";
    properties[std::string(key.name)] = std::move(schema);
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

/// The alternatives that a key's value may be.
std::vector<Json> alternatives(const SchemaKey& key) {
  const Parameter& parameter = key.parameter;
  std::vector<Json> all;
  switch (key.form) {
    case ValueForm::plain:
      all = {plain_schema(parameter)};
      break;
    case ValueForm::integer_or_word:
      all = {integer_schema(parameter), {{"enum", parameter.choices}}};
      break;
    case ValueForm::size:
      all = {{{"type", "integer"}, {"minimum", 0}}, {{"type", "string"}}};
      break;
    case ValueForm::length:
      all = {integer_schema(parameter)};
      for (const SchemaSection& form : length_forms()) {
        Json schema = object_schema(form);
        schema["properties"]["distribution"] = {{"const", form.name}};
        schema["required"] = {"distribution"};
        all.push_back(std::move(schema));
      }
      break;
    case ValueForm::model:
      all = {{{"type", "string"}}, described_object(model_keys())};
      break;
    case ValueForm::device:
      all = {{{"type", "string"}}, described_object(device_keys())};
      break;
    case ValueForm::engine:
      all = {{{"enum", parameter.choices}},
             {{"type", "string"}, {"pattern", "/|\\.json$|^shared:"}},
             described_object(engine_profile_keys())};
      break;
  }
  if (parameter.optional) all.push_back({{"type", "null"}});
  return all;
}

Json key_schema(const SchemaKey& key) {
  std::vector<Json> all = alternatives(key);
  Json schema = Json::object();
  schema["description"] = key.parameter.help;
  if (all.size() == 1)
    schema.update(all.front());
  else
    schema["anyOf"] = all;
  schema["default"] = value_json(key.parameter.default_value);
  return schema;
}

Json object_schema(const SchemaSection& section) {
  Json properties = Json::object();
  for (const SchemaKey& key : section.keys)
    properties[key.parameter.name] = key_schema(key);
  for (const SchemaSection& inner : section.sections)
    properties[inner.name] = object_schema(inner);
  return {{"description", section.summary},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", properties}};
}

}  // namespace

Json scenario_json_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Vacancy scenario"}};
  schema.update(object_schema(scenario_schema()));
  return schema;
}

}  // namespace vacancy
