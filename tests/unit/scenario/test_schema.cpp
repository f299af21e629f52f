// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "sim/attention/registry.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/json_schema.hpp"
#include "sim/scenario/schema.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Json = nlohmann::ordered_json;

namespace {

void for_each_section(const SchemaSection& section, const std::string& path,
                      const std::function<void(const SchemaSection&, const std::string&)>& visit) {
  visit(section, path);
  for (const SchemaSection& inner : section.sections)
    for_each_section(inner, path + '/' + inner.name, visit);
}

/// The part of JSON Schema that our schema uses.
bool valid(const Json& value, const Json& schema) {
  if (schema.contains("anyOf"))
    return std::any_of(schema["anyOf"].begin(), schema["anyOf"].end(),
                       [&](const Json& alternative) { return valid(value, alternative); });
  if (schema.contains("const")) return value == schema["const"];
  if (schema.contains("enum"))
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) return false;
  if (schema.contains("maximum") && value.is_number() && value > schema["maximum"]) return false;
  const std::string type = schema.value("type", "");
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type != "object") return type.empty();
  if (!value.is_object()) return false;
  for (const auto& key : schema.value("required", Json::array()))
    if (!value.contains(key.get<std::string>())) return false;
  return std::all_of(value.items().begin(), value.items().end(), [&](const auto& member) {
    return schema["properties"].contains(member.key()) &&
           valid(member.value(), schema["properties"][member.key()]);
  });
}

}  // namespace

TEST_CASE("every key explains itself and has a default of its own type", "[schema]") {
  for_each_section(
      scenario_schema(), "", [](const SchemaSection& section, const std::string& path) {
        CHECK_FALSE(section.summary.empty());
        auto names = section.names();
        std::sort(names.begin(), names.end());
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
        for (const SchemaKey& key : section.keys) {
          INFO(path << '/' << key.parameter.name);
          const Parameter& p = key.parameter;
          CHECK(p.help.size() > 10);
          CHECK(p.help.back() == '.');
          CHECK_FALSE(expectation(key).empty());
          if (std::holds_alternative<std::monostate>(p.default_value)) CHECK(p.optional);
          if (p.type == ParameterType::choice && !p.optional)
            CHECK(std::find(p.choices.begin(), p.choices.end(),
                            std::get<std::string>(p.default_value)) != p.choices.end());
        }
      });
}

TEST_CASE("everything that is registered has a section and a choice", "[schema]") {
  const auto& schema = scenario_schema();
  const auto check = [](const SchemaSection& section, std::string_view key, const auto& entries) {
    for (const auto& entry : entries) {
      INFO(entry.info.name);
      const auto& choices = section.key(key)->parameter.choices;
      CHECK(std::find(choices.begin(), choices.end(), entry.info.name) != choices.end());
      REQUIRE(section.section(entry.info.name) != nullptr);
      CHECK(section.section(entry.info.name)->keys.size() == entry.info.parameters.size());
    }
  };
  check(*schema.section("eviction"), "policy", policies());
  check(*schema.section("attention"), "source", attention_sources());
  check(*schema.section("reclaim"), "kind", reclaimers());
}

TEST_CASE("the JSON Schema accepts what the reader accepts", "[schema]") {
  const Json schema = scenario_json_schema();
  CHECK(schema["properties"]["seed"]["maximum"] == std::numeric_limits<std::uint64_t>::max());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  for (const std::vector<std::string>& assignments : std::vector<std::vector<std::string>>{
           {},
           {"cache.blocks=5000", "eviction.once.at=3", "seed=18446744073709551615"},
           {"cache.memory=6MiB",
            "model={\"layers\":1,\"query_heads\":1,\"kv_heads\":1,"
            "\"head_dim\":1}"},
           {"workload.prompt_tokens={\"distribution\":\"uniform\",\"max\":9}"}}) {
    const Json resolved = resolved_json(test::load(test::evict_14k_of_16k, assignments));
    INFO(resolved.dump(2));
    CHECK(valid(resolved, schema));
  }
}

TEST_CASE("the JSON Schema refuses what the reader refuses", "[schema]") {
  const Json schema = scenario_json_schema();
  for (const char* text :
       {R"({"cahce": {}})", R"({"cache": 3})", R"({"cache": {"block_size": 0}})",
        R"({"cache": {"block_size": 16.5}})", R"({"cache": {"blocks": "many"}})",
        R"({"eviction": {"policy": "h3o"}})", R"({"eviction": {"h2o": {"x": 1}}})",
        R"({"workload": {"output_tokens": {"distribution": "uniform", "mean": 3}}})",
        R"({"workload": {"output_tokens": {"min": 3}}})", R"({"seed": -1})",
        R"({"model": {"layer": 3}})", R"({"model": {"layers": "3"}})"}) {
    INFO(text);
    CHECK_FALSE(valid(Json::parse(text), schema));
    CHECK_FALSE(test::fault_of(text).empty());
  }
}

TEST_CASE("every object of the JSON Schema is closed and described", "[schema]") {
  const std::function<void(const Json&, const std::string&)> walk = [&](const Json& node,
                                                                        const std::string& path) {
    if (!node.is_structured()) return;
    if (node.is_object() && node.value("type", Json()) == "object") {
      INFO(path);
      CHECK(node["additionalProperties"] == false);
      for (const auto& [name, property] : node["properties"].items())
        if (!property.contains("const")) CHECK(property.contains("description"));
    }
    for (const auto& [key, inner] : node.items())
      walk(inner, path + '/' + key);
  };
  walk(scenario_json_schema(), "");
}

TEST_CASE("bounds are written as people write them", "[schema]") {
  CHECK(bound_text(4096) == "4096");
  CHECK(bound_text(-1) == "-1");
  CHECK(bound_text(0.98) == "0.98");
  CHECK(bound_text(1e-6) == "1e-06");
}
