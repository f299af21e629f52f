// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/model/model_file.hpp"
#include "sim/units/error.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

TEST_CASE("every file of the presets folder is built in, sorted, and nothing else") {
  std::set<std::string> files;
  const auto folder = test::source_dir() / "sim/model/presets";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.insert(entry.path().stem().string());
  const auto names = preset_names();
  CHECK(std::vector<std::string>(files.begin(), files.end()) == names);
  CHECK(names.size() >= 18);
}

TEST_CASE("every preset is valid and says where its numbers come from") {
  for (const std::string& name : preset_names()) {
    INFO(name);
    const ModelGeometry model = preset(name);
    CHECK_FALSE(model.name.empty());
    CHECK_FALSE(model.source.empty());
    CHECK(model.max_context);
    CHECK(model.vocabulary);
  }
}

TEST_CASE("preset geometries") {
  struct Row {
    const char* name;
    std::size_t layers;
    std::uint32_t query_heads, kv_heads, head_dim;
    AttentionKind kind;
  };
  const Row rows[] = {
      {"qwen3-4b", 36, 32, 8, 128, AttentionKind::gqa},
      {"qwen3-8b", 36, 32, 8, 128, AttentionKind::gqa},
      {"qwen3-14b", 40, 40, 8, 128, AttentionKind::gqa},
      {"qwen3-32b", 64, 64, 8, 128, AttentionKind::gqa},
      {"llama-3-8b", 32, 32, 8, 128, AttentionKind::gqa},
      {"llama-3.1-8b", 32, 32, 8, 128, AttentionKind::gqa},
      {"llama-3-70b", 80, 64, 8, 128, AttentionKind::gqa},
      {"phi-4-reasoning", 40, 40, 10, 128, AttentionKind::gqa},
      {"deepseek-v3", 61, 128, 1, 128, AttentionKind::mla},
      {"gpt-oss-20b", 24, 64, 8, 64, AttentionKind::gqa},
      {"gpt-oss-120b", 36, 64, 8, 64, AttentionKind::gqa},
      {"gemma-3-4b", 34, 8, 4, 256, AttentionKind::gqa},
      {"gemma-3-12b", 48, 16, 8, 256, AttentionKind::gqa},
      {"gemma-3-27b", 62, 32, 16, 128, AttentionKind::gqa},
      {"mistral-7b", 32, 32, 8, 128, AttentionKind::gqa},
      {"jamba-1.5-mini", 32, 32, 8, 128, AttentionKind::gqa},
      {"opt-13b", 40, 40, 40, 128, AttentionKind::mha},
      {"stories260k", 5, 8, 4, 8, AttentionKind::gqa},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const ModelGeometry model = preset(row.name);
    CHECK(model.layers.size() == row.layers);
    CHECK(model.query_heads == row.query_heads);
    CHECK(model.kv_heads == row.kv_heads);
    CHECK(model.head_dim == row.head_dim);
    CHECK(model.attention() == row.kind);
  }
}

TEST_CASE("an unknown preset is named, with a near name and all names") {
  CHECK_THROWS_WITH(preset("qwen3-32"), Catch::Contains("\"qwen3-32\"") &&
                                            Catch::Contains("Did you mean \"qwen3-32b\"?") &&
                                            Catch::Contains("deepseek-v3"));
  CHECK_THROWS_WITH(preset("gpt-5"), !Catch::Contains("Did you mean"));
  CHECK_THROWS_AS(preset(""), UserError);
}

TEST_CASE("a preset's text reads back as that preset") {
  for (const std::string& name : preset_names())
    CHECK(model_from_json(nlohmann::json::parse(preset_text(name)), "copy.json: ") == preset(name));
}
