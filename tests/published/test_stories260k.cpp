// SPDX-License-Identifier: Apache-2.0
// The union effect on real attention: stories260K, 40 sequences of 512 tokens sampled at
// temperature 1, 32 blocks of 16, one eviction at the end. Reference: the project's published
// figures §10 (U-1 to U-6); the sampling is ours, so bands of ±4 points over 1,280 blocks.
#include <catch2/catch.hpp>

#include "tests/published/stories260k.hpp"

using namespace vacancy;

namespace {

struct Figures {
  double free_share;  // percent of the blocks that were held
  double mass;
};

Figures evict(const std::string& policy, const std::vector<std::string>& changes,
              const std::string& scope, TableKind table) {
  std::vector<std::string> all = {"eviction.policy=" + policy, "eviction.scope=" + scope,
                                  "cache.table=" + std::string(enum_name(table))};
  all.insert(all.end(), changes.begin(), changes.end());
  const Summary summary = test::run_stories260k(all);
  const double tables = table == TableKind::shared ? 1 : table == TableKind::per_layer ? 5 : 5 * 4;
  const double blocks = 40.0 * 32 * tables;
  return {100 * static_cast<double>(summary.reclaim.blocks_freed_by_eviction) / blocks,
          summary.quality.mass_mean().value()};
}

const std::vector<std::string> pooled = {"eviction.snapkv.kernel=7", "eviction.snapkv.pooling=max"};

}  // namespace

TEST_CASE("U-1 to U-6: share of blocks wholly empty at 64 of 512 tokens", "[slow]") {
  if (!test::shared_file("data/stories260K/stories260K.bin")) return;
  const std::string per_head = "per_layer_per_head";
  struct Row {
    const char* name;
    const char* policy;
    std::vector<std::string> changes;
    std::string scope;
    // Percent free if blocks belong to one KV head / to a layer / to the whole model; < 0: not
    // given.
    double own, layer, model;
    double mass;
  };
  const std::vector<Row> rows = {
      {"random, one set", "random", {}, "model", -1, -1, 12.0, .147},
      {"random, per KV head", "random", {}, per_head, 11.3, 0.0, 0.0, .127},
      {"H2O per KV head", "h2o", {}, per_head, 29.3, 2.6, 0.0, .843},
      {"H2O per layer", "h2o", {}, "per_layer", 30.0, 30.0, 1.7, .835},
      {"H2O whole model", "h2o", {}, "model", -1, -1, 31.2, .833},
      {"SnapKV per KV head", "snapkv", {}, per_head, 66.2, 43.9, 11.8, .939},
      {"SnapKV pooled", "snapkv", pooled, "model", -1, -1, 82.5, .885},
      {"StreamingLLM", "streaming_llm", {}, "model", -1, -1, 84.375, .886},
      {"whole-block H2O", "block_h2o", {}, "model", -1, -1, 87.5, .770},
  };
  for (const Row& row : rows) {
    DYNAMIC_SECTION(row.name) {
      const std::pair<TableKind, double> tables[] = {{TableKind::per_layer_per_head, row.own},
                                                     {TableKind::per_layer, row.layer},
                                                     {TableKind::shared, row.model}};
      for (const auto& [table, expected] : tables) {
        if (expected < 0) continue;
        const Figures figures = evict(row.policy, row.changes, row.scope, table);
        INFO(enum_name(table));
        CHECK(figures.free_share == Approx(expected).margin(expected == 0.0 ? 0.5 : 4.0));
        CHECK(figures.mass == Approx(row.mass).margin(0.03));
      }
    }
  }
}

TEST_CASE("on tables per layer and head: random < H2O < SnapKV < StreamingLLM < whole blocks",
          "[slow]") {
  if (!test::shared_file("data/stories260K/stories260K.bin")) return;
  const auto on_own_tables = [](const char* policy) {
    return evict(policy, {}, "per_layer_per_head", TableKind::per_layer_per_head).free_share;
  };
  const double random = on_own_tables("random");
  const double h2o = on_own_tables("h2o");
  const double snapkv = on_own_tables("snapkv");
  const double streaming = on_own_tables("streaming_llm");
  const double blocks = on_own_tables("block_h2o");
  CHECK(random < h2o);
  CHECK(h2o < snapkv);
  CHECK(snapkv < streaming);
  CHECK(streaming < blocks);
  // U-3, U-4: exact.
  CHECK(streaming == Approx(100.0 * 27 / 32));
  CHECK(blocks == Approx(87.5));
}
