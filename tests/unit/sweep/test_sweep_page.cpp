// SPDX-License-Identifier: Apache-2.0
// docs/formats/sweep.md and the schema name the keys that the reader takes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/sweep/sweep_keys.hpp"
#include "sim/sweep/sweep_schema.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("the page names every key of a sweep") {
  const std::string page = test::read_file(test::source_dir() / "docs/formats/sweep.md");
  for (const SweepObject& object : sweep_objects())
    for (const FileKey& key : object.keys) {
      const std::string name(key.name);
      INFO(object.place << ' ' << name);
      CHECK((page.find('`' + name + '`') != std::string::npos ||
             page.find('"' + name + "\":") != std::string::npos));
    }
}

TEST_CASE("the schema has an object for each kind, and no reference leads nowhere") {
  const nlohmann::json schema = sweep_json_schema();
  CHECK(schema["required"] == nlohmann::json{"scenario", "axes"});
  std::set<std::string> references;
  const auto visit = [&](const auto& self, const nlohmann::json& value) -> void {
    if (value.is_object() && value.contains("$ref"))
      references.insert(value["$ref"].get<std::string>());
    if (value.is_structured())
      for (const auto& inner : value)
        self(self, inner);
  };
  visit(visit, schema);
  for (const SweepObject& object : sweep_objects()) {
    if (object.place.empty()) continue;
    INFO(object.place);
    CHECK(references.contains("#/$defs/" + std::string(object.place)));
    const auto& definition = schema["$defs"][std::string(object.place)];
    CHECK(definition["properties"].size() == object.keys.size());
  }
  for (const std::string& reference : references) {
    INFO(reference);
    CHECK(schema["$defs"].contains(reference.substr(std::string("#/$defs/").size())));
  }
}
