// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gui/model/form/field_entry.hpp"
#include "gui/model/form/form_tree.hpp"
#include "sim/scenario/json_document.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

const SchemaKey& key(const std::string& path) {
  for (const FormField* field : all_fields(form_tree()))
    if (field->path == path) return *field->key;
  throw std::runtime_error(path);
}

std::string json(const std::string& path, const std::string& entry) {
  return json_of_entry(key(path), entry).value_or("(not written)");
}

}  // namespace

TEST_CASE("Numbers may be typed with commas between thousands") {
  CHECK(without_groups("16,000") == "16000");
  CHECK(without_groups("-1,234,567.25") == "-1234567.25");
  for (const std::string wrong : {"1,00", "1,0000", ",123", "1234,567", "a,bcd", "12", ""})
    CHECK(without_groups(wrong) == wrong);
}

TEST_CASE("An entry becomes the JSON that its key expects") {
  CHECK(json("eviction.budget", "2,000") == "2000");
  CHECK(json("eviction.budget", "") == "(not written)");
  CHECK(json("cache.blocks", "unlimited") == "\"unlimited\"");
  CHECK(json("cache.blocks", " 1,000 ") == "1000");
  CHECK(json("cache.memory", "6GiB") == "\"6GiB\"");
  CHECK(json("cache.memory", "1024") == "1024");
  CHECK(json("seed", "18446744073709551615") == "18446744073709551615");
  CHECK(json("eviction.count_prompt", "false") == "false");
  CHECK(json("eviction.usage.arm", "0.950") == "0.950");
  CHECK(json("description", "7") == "\"7\"");
  CHECK(json("description", "") == "\"\"");
  CHECK(json("model", "qwen3-8b") == "\"qwen3-8b\"");
  CHECK(json("model", R"({"layers": 2})") == R"({"layers": 2})");
  CHECK(json("workload.prompt_tokens", R"({"distribution": "fixed"})") ==
        R"({"distribution": "fixed"})");
}

TEST_CASE("What is no number becomes a text, for the check to refuse") {
  CHECK(json("eviction.budget", "many") == "\"many\"");
  CHECK(json("eviction.budget", "1.5") == "1.5");
  CHECK(json("eviction.count_prompt", "yes") == "\"yes\"");
}

TEST_CASE("Every default survives the way through its entry") {
  for (const FormField* field : all_fields(form_tree())) {
    const ParameterValue& value = field->key->parameter.default_value;
    if (std::holds_alternative<std::monostate>(value)) continue;
    CAPTURE(field->path);
    const std::string entry = entry_of(value);
    const auto text = json_of_entry(*field->key, entry);
    REQUIRE(text);
    Diagnostics faults("");
    const auto node = parse_json(*text, 0, faults);
    REQUIRE(node);
    CHECK(entry_of(*node) == entry);
  }
}

TEST_CASE("Names become titles") {
  CHECK(title_of("block_size") == "Block size");
  CHECK(title_of("") == "");
}
