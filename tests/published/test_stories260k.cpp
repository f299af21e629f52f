// SPDX-License-Identifier: Apache-2.0
// The union effect on real attention: stories260K, 40 sequences of 512 tokens sampled at
// temperature 1, 32 blocks of 16, one eviction at the end. Reference: the project's published
// figures §10 (U-1 to U-6); the sampling is ours, so bands of ±4 points over 1,280 blocks.
#include <catch2/catch.hpp>

#include "sim/attention/registry.hpp"
#include "tests/support/cached_source.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;
using vacancy::test::Run;

namespace {

std::shared_ptr<const AttentionSource> stories260k() {
  static const std::shared_ptr<const AttentionSource> source = [] {
    const AttentionSourceEntry* entry = find_attention_source("real");
    AttentionContext context;
    context.seed = 7;
    context.resolve_path = [](const std::string& path) {
      return test::shared_dir() / "data/stories260K" / path;
    };
    return std::make_shared<test::CachedSource>(entry->make(
        test::values_of(entry->info, {{"checkpoint", std::string("stories260K.bin")}}), context));
  }();
  return source;
}

struct Figures {
  double free_share;  // percent of the blocks that were held
  double mass;
};

Figures evict(const std::string& policy, const ParameterValues& changes, std::uint32_t budget,
              Scope scope, TableKind table, const char* reclaim = "none") {
  Run run(7);
  const AttentionShape shape = stories260k()->shape();
  run.config.attention = stories260k();
  run.config.cache.layout = CacheLayout(shape.layers, shape.kv_heads, table, scope);
  run.config.cache.block_bytes = Bytes(16 * 64);
  run.config.sequences.assign(40, {1, 511});
  run.config.eviction.budget = budget;
  run.once_at_end();
  run.policy(policy, changes);
  run.reclaim(reclaim);
  const Summary summary = run.run();
  const double blocks = 40.0 * 32 * run.config.cache.layout.tables();
  return {100 * static_cast<double>(summary.reclaim.blocks_freed_by_eviction) / blocks,
          summary.quality.mass_mean().value()};
}

const ParameterValues snapkv_last16 = {{"window", std::int64_t{16}}, {"kernel", std::int64_t{1}}};
const ParameterValues snapkv_pooled = {
    {"window", std::int64_t{16}}, {"kernel", std::int64_t{7}}, {"pooling", std::string("max")}};

}  // namespace

TEST_CASE("U-1 to U-6: share of blocks wholly empty at 64 of 512 tokens", "[slow]") {
  if (!test::shared_file("data/stories260K/stories260K.bin")) return;
  const Scope per_head = Scope::per_layer_per_head;
  struct Row {
    const char* name;
    const char* policy;
    ParameterValues changes;
    Scope scope;
    const char* reclaim;
    // Percent free if blocks belong to one KV head / to a layer / to the whole model; < 0: not
    // given.
    double own, layer, model;
    double mass;
  };
  const std::vector<Row> rows = {
      {"random, one set", "random", {}, Scope::model, "none", -1, -1, 12.0, .147},
      {"random, per KV head", "random", {}, per_head, "none", 11.3, 0.0, 0.0, .127},
      {"H2O per KV head", "h2o", {}, per_head, "none", 29.3, 2.6, 0.0, .843},
      {"H2O per layer", "h2o", {}, Scope::per_layer, "none", 30.0, 30.0, 1.7, .835},
      {"H2O whole model", "h2o", {}, Scope::model, "none", -1, -1, 31.2, .833},
      {"SnapKV per KV head", "snapkv", snapkv_last16, per_head, "none", 66.2, 43.9, 11.8, .939},
      {"SnapKV pooled", "snapkv", snapkv_pooled, Scope::model, "none", -1, -1, 82.5, .885},
      {"StreamingLLM", "streaming_llm", {}, Scope::model, "none", -1, -1, 84.375, .886},
      {"whole-block H2O", "block_h2o", {}, Scope::model, "none", -1, -1, 87.5, .770},
  };
  for (const Row& row : rows) {
    DYNAMIC_SECTION(row.name) {
      const std::pair<TableKind, double> tables[] = {{TableKind::per_layer_per_head, row.own},
                                                     {TableKind::per_layer, row.layer},
                                                     {TableKind::shared, row.model}};
      for (const auto& [table, expected] : tables) {
        if (expected < 0) continue;
        const Figures figures = evict(row.policy, row.changes, 64, row.scope, table, row.reclaim);
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
  const auto on_own_tables = [](const char* policy, const ParameterValues& changes,
                                const char* reclaim) {
    return evict(policy, changes, 64, Scope::per_layer_per_head, TableKind::per_layer_per_head,
                 reclaim)
        .free_share;
  };
  const double random = on_own_tables("random", {}, "none");
  const double h2o = on_own_tables("h2o", {}, "none");
  const double snapkv = on_own_tables("snapkv", snapkv_last16, "none");
  const double streaming = on_own_tables("streaming_llm", {}, "none");
  const double blocks = on_own_tables("block_h2o", {}, "none");
  CHECK(random < h2o);
  CHECK(h2o < snapkv);
  CHECK(snapkv < streaming);
  CHECK(streaming < blocks);
  // U-3, U-4: exact.
  CHECK(streaming == Approx(100.0 * 27 / 32));
  CHECK(blocks == Approx(87.5));
}
