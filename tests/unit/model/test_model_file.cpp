// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/model/model_file.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;
using Catch::Contains;

namespace {

nlohmann::json valid() {
  return {{"layers", 4}, {"query_heads", 8}, {"kv_heads", 2}, {"head_dim", 64}};
}

ModelGeometry read(const nlohmann::json& json) {
  return model_from_json(json, "my.json: /model");
}

std::string fault_of(const nlohmann::json& json) {
  try {
    read(json);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("four numbers describe a plain model") {
  const ModelGeometry model = read(valid());
  CHECK(model.layers == std::vector<LayerKind>(4, LayerKind::full));
  CHECK(model.attention() == AttentionKind::gqa);
  CHECK(model.kv_dtype == KvDtype::bf16);
  CHECK_FALSE(model.rope_theta);
  CHECK_FALSE(model.weight_bytes);
}

TEST_CASE("a pattern of layers is repeated to the end") {
  auto json = valid();
  json["layers"] = 5;
  json["layer_pattern"] = {"sliding", "full", "state"};
  json["window"] = 128;
  json["state_bytes"] = "64 KiB";
  const ModelGeometry model = read(json);
  CHECK(model.layers == std::vector<LayerKind>{LayerKind::sliding, LayerKind::full,
                                               LayerKind::state, LayerKind::sliding,
                                               LayerKind::full});
  CHECK(model.window == 128);
  CHECK(model.state_bytes == Bytes(65'536));
}

TEST_CASE("every key has one fault that is found, placed and explained") {
  struct Row {
    const char* key;
    nlohmann::json value;
    const char* sentence;
  };
  const Row rows[] = {
      {"layers", "four", "expected an integer from 1 to 4,096, got \"four\""},
      {"layers", 0, "expected an integer from 1 to 4,096, got 0"},
      {"layers", -1, "expected an integer"},
      {"layers", 4.0, "expected an integer"},
      {"layers", 5'000, "expected an integer"},
      {"layers", 18'446'744'073'709'551'615u, "expected an integer"},
      {"layers", nullptr, "got null"},
      {"query_heads", true, "expected an integer"},
      {"query_heads", 7, "kv_heads: 2 does not divide query_heads, 7."},
      {"kv_heads", 3, "3 does not divide query_heads, 8."},
      {"kv_heads", 16, "does not divide"},
      {"head_dim", 100'000, "expected an integer from 1 to 65,536"},
      {"layer_pattern", "full", "expected a list"},
      {"layer_pattern", {"fulll"}, "Did you mean \"full\"?"},
      {"layer_pattern", nlohmann::json::array(), "is empty"},
      {"layer_pattern", {1, 2}, "expected a list of texts"},
      {"layer_pattern", {"full", "full", "full", "full", "full"}, "has 5 entries for 4 layers"},
      {"layer_pattern", {"sliding"}, "window: is missing"},
      {"layer_pattern", {"state"}, "no layer with attention"},
      {"layer_pattern", {"state", "full"}, "state_bytes: is missing"},
      {"window", 128, "no sliding layer"},
      {"state_bytes", 128, "no state layer"},
      {"mla", 512, "expected an object"},
      {"mla", {{"latent", 512}, {"rotary", 64}}, "contradicts mla"},
      {"mla", {{"latent", 512}}, "mla/rotary: is missing"},
      {"mla", {{"latent", 512}, {"rotary", 64}, {"lora", 1}}, "mla/lora: is not a key"},
      {"kv_dtype", "int4", "\"int4\" is none of bf16"},
      {"kv_dtype", "bf61", "Did you mean \"bf16\"?"},
      {"kv_dtype", 8, "expected text, got 8"},
      {"kv_dtype", "kivi2_g128", "groups of 128 values"},
      {"rope_theta", 0.5, "expected a number from 1 to"},
      {"rope_theta", "10000", "expected a number"},
      {"rope_scaling", "yarn", "without rope_theta"},
      {"max_context", 0, "expected an integer from 1"},
      {"vocabulary", 1e9, "expected an integer"},
      {"weight_bytes", "17 gigs", "is not a size"},
      {"weight_bytes", -5, "expected bytes"},
      {"hidden", 0, "expected an integer from 1 to 65,536"},
      {"layer_parameters", "7B", "expected an integer"},
      {"active_parameters", 5, "without layer_parameters"},
      {"name", 5, "expected text, got 5"},
      {"source", {1, 2}, "expected text"},
      {"unverified", {"vocabulary"}, "\"vocabulary\" is not in this model"},
      {"hidden_size", 4096, "is not a key of this object"},
      {"kv_head", 2, "Did you mean \"kv_heads\"?"},
  };
  for (const Row& row : rows) {
    auto json = valid();
    json[row.key] = row.value;
    const std::string fault = fault_of(json);
    INFO(row.key << " = " << row.value << "\n" << fault);
    CHECK_THAT(fault, Contains("my.json: /model/") && Contains(row.key) && Contains(row.sentence));
  }
}

TEST_CASE("a token passes no more parameters than there are") {
  auto json = valid();
  json["layer_parameters"] = 1'000;
  json["active_parameters"] = 1'000;
  CHECK_NOTHROW(read(json));
  json["active_parameters"] = 1'001;
  CHECK_THAT(fault_of(json),
             Contains("/active_parameters: 1,001 is more than layer_parameters, 1,000."));
}

TEST_CASE("each required key is missed by name") {
  for (const char* key : {"layers", "query_heads", "kv_heads", "head_dim"}) {
    auto json = valid();
    json.erase(key);
    CHECK_THAT(fault_of(json), Contains(std::string("/model/") + key + ": is missing"));
  }
}

TEST_CASE("all faults are reported together, a line each") {
  auto json = valid();
  json["layers"] = "x";
  json["head_dim"] = 0;
  json["colour"] = "red";
  const std::string fault = fault_of(json);
  CHECK(std::count(fault.begin(), fault.end(), '\n') == 2);
  CHECK_THAT(fault, Contains("/layers") && Contains("/head_dim") && Contains("/colour"));
}

TEST_CASE("what is no object at all is refused") {
  for (const nlohmann::json& json : {nlohmann::json(nullptr), nlohmann::json(3),
                                     nlohmann::json("qwen"), nlohmann::json::array()})
    CHECK_THAT(fault_of(json), Contains("expected an object"));
}

TEST_CASE("hostile text is quoted in part and never breaks the message") {
  auto json = valid();
  json["layers"] = std::string(100'000, 'x');
  json[std::string(100'000, 'k')] = "\xff\xfe";
  json["name"] = nlohmann::json::array({"\xff\xfe"});
  const std::string fault = fault_of(json);
  CHECK_FALSE(fault.empty());
  CHECK(fault.size() < 1'000);
}

TEST_CASE("a cache format must fit the cached vector, with MLA too") {
  const ModelGeometry latent = preset("deepseek-v3");  // 512 + 64 values
  CHECK_NOTHROW(with_kv_dtype(latent, KvDtype::nvfp4));
  CHECK_NOTHROW(with_kv_dtype(latent, KvDtype::kivi4_g32));
  CHECK_THROWS_WITH(with_kv_dtype(latent, KvDtype::kivi2_g128), Contains("has 576"));
  CHECK_THROWS_AS(with_kv_dtype(preset("stories260k"), KvDtype::nvfp4), UserError);
}

TEST_CASE("the table of keys names each key once, with help") {
  std::vector<std::string_view> seen;
  for (const FileKey& key : model_keys()) {
    CHECK_FALSE(key.type.empty());
    CHECK(key.help.back() == '.');
    CHECK(std::find(seen.begin(), seen.end(), key.name) == seen.end());
    seen.push_back(key.name);
  }
}
