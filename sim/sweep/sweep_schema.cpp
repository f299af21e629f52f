// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_schema.hpp"

#include <nlohmann/json.hpp>

#include "sim/metrics/summary_keys.hpp"
#include "sim/scenario/json_schema.hpp"
#include "sim/sweep/sweep_keys.hpp"

namespace vacancy {

namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& place) {
  return {{"$ref", "#/$defs/" + place}};
}

Json list_of(Json items) {
  return {{"type", "array"}, {"minItems", 1}, {"items", std::move(items)}};
}

/// The schema of a key by the type that its table gives.
Json type_schema(std::string_view type) {
  if (type == "text") return {{"type", "string"}};
  if (type == "integer") return {{"type", "integer"}, {"minimum", 0}};
  if (type == "number") return {{"type", "number"}};
  if (type == "boolean") return {{"type", "boolean"}};
  if (type == "object" || type == "settings") return {{"type", "object"}};
  if (type == "list") return {{"type", "array"}, {"minItems", 1}};
  if (type == "texts") return list_of({{"type", "string"}});
  if (type == "settings[]") return list_of({{"type", "object"}, {"minProperties", 1}});
  if (type == "scenario")
    return {{"anyOf", {{{"type", "string"}, {"minLength", 1}}, reference("scenario")}}};
  if (type == "seeds")
    return {{"anyOf", {list_of({{"type", "integer"}, {"minimum", 0}}), reference("seeds")}}};
  const std::string place(type);
  if (place.ends_with(".*"))
    return {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", reference(place)}};
  return place.ends_with("[]") ? list_of(reference(place)) : reference(place);
}

Json object_schema(const SweepObject& object) {
  Json properties = Json::object();
  for (const FileKey& key : object.keys) {
    Json schema{{"description", key.help}};
    schema.update(type_schema(key.type));
    properties[std::string(key.name)] = std::move(schema);
  }
  return {{"description", object.summary},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

}  // namespace

Json sweep_json_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Vacancy sweep"}};
  Json definitions = Json::object();
  for (const SweepObject& object : sweep_objects()) {
    if (object.place.empty())
      schema.update(object_schema(object));
    else
      definitions[std::string(object.place)] = object_schema(object);
  }
  definitions["axes"]["minProperties"] = definitions["axes"]["maxProperties"] = 1;
  definitions["axes.random.keys.*"]["minProperties"] = 1;
  definitions["axes.random.keys.*"]["maxProperties"] = 1;
  Json figures = Json::array();
  for (const SummaryKey& key : summary_keys())
    figures.push_back(key.key);
  definitions["figure"] = {{"enum", std::move(figures)}};
  schema["properties"]["figures"]["items"] = reference("figure");
  for (const char* const key : {"maximize", "minimize"})
    definitions["pareto"]["properties"][key]["items"] = reference("figure");
  schema["required"] = {"scenario", "axes"};
  Json scenario = scenario_json_schema();
  scenario.erase("$schema");
  definitions["scenario"] = std::move(scenario);
  schema["$defs"] = std::move(definitions);
  return schema;
}

}  // namespace vacancy
