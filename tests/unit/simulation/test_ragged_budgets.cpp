// SPDX-License-Identifier: Apache-2.0
// What budgets of unequal size do to block tables, in whole runs.
#include <catch2/catch.hpp>

#include "sim/attention/random_source.hpp"
#include "tests/support/run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t block = 16;

struct RaggedRun : Run {
  RaggedRun(const AttentionShape& shape, TableKind table, Scope scope) : Run(3) {
    config.attention = std::make_shared<RandomSource>(shape, 3);
    config.cache = {block, std::nullopt, CacheLayout(shape.layers, shape.kv_heads, table, scope),
                    Bytes(8192)};
    config.quality_queries = 0;
  }
};

/// Odd heads look at the first token alone, even ones at all alike.
class UnlikeHeads final : public AttentionSource {
 public:
  AttentionShape shape() const override { return {2, 2, 2, 0}; }
  AttentionFeatures features() const override { return {.weights = true}; }
  std::uint32_t max_length() const override { return 1u << 20; }
  std::unique_ptr<SequenceAttention> open(SequenceId) const override {
    return std::make_unique<Sequence>();
  }

 private:
  class Sequence final : public SequenceAttention {
   public:
    const AttentionShape& shape() const override { return shape_; }
    void advance(std::uint32_t length) override { length_ = std::max(length_, length); }
    std::uint32_t length() const override { return length_; }
    void weights(std::uint32_t, std::uint32_t head, std::uint32_t,
                 std::span<float> row) const override {
      std::fill(row.begin(), row.end(), head == 0 ? 1.0f / static_cast<float>(row.size()) : 0.0f);
      if (head == 1) row[0] = 1.0f;
    }

   private:
    AttentionShape shape_{2, 2, 2, 0};
    std::uint32_t length_ = 0;
  };
};

std::int64_t blocks_of(std::uint32_t tokens) {
  return (tokens + block - 1) / block;
}

/// Blocks that PyramidKV frees of 4 layers with 600 tokens each.
std::int64_t pyramid_frees(TableKind table) {
  RaggedRun run({4, 2, 1, 8}, table, Scope::per_layer);
  run.policy("pyramidkv");
  run.config.eviction.budget = 232;
  run.config.eviction.trigger = TriggerKind::once;
  run.config.eviction.once = OnceAt::prompt_end;
  run.reclaim("slide");
  run.config.sequences = {{600, 0}};
  return run.run().reclaim.blocks_freed_by_eviction;
}

}  // namespace

// C = 232 - 32 = 200: layers keep 390, 264, 138 and 12 beside the window.
TEST_CASE("E-07: on a shared table PyramidKV is as long as its first layer") {
  CHECK(pyramid_frees(TableKind::shared) == blocks_of(600) - blocks_of(390 + 32));
  CHECK(pyramid_frees(TableKind::per_layer) ==
        4 * blocks_of(600) - blocks_of(422) - blocks_of(296) - blocks_of(170) - blocks_of(44));
}

// A budget of 16 of at most 256 tokens: 256 / 16^0.44 = 75.
TEST_CASE("E-12: what RocketKV frees follows its capacity") {
  RaggedRun run({2, 2, 1, 8}, TableKind::shared, Scope::per_layer_per_head);
  run.policy("rocketkv", {{"max_length", std::int64_t{256}}, {"window", std::int64_t{4}}});
  REQUIRE(run.config.policy->capacity(16) == 75);
  run.config.eviction.budget = 16;
  run.config.eviction.trigger = TriggerKind::once;
  run.config.eviction.once = OnceAt::prompt_end;
  run.reclaim("slide");
  run.config.sequences = {{200, 0}};
  CHECK(run.run().reclaim.blocks_freed_by_eviction == blocks_of(200) - blocks_of(75));
}

// Until the first eviction all heads cross block boundaries together, then each at its own.
TEST_CASE("E-38: one append needs a block for every head, until their lengths differ") {
  class Appends final : public Observer {
   public:
    void on_event(const Event& event) override {
      if (std::holds_alternative<TokensAppended>(event)) {
        if (now_ > 0) (evicted_ ? after : before).push_back(now_);
        now_ = 0;
      } else if (const auto* blocks = std::get_if<BlocksAllocated>(&event)) {
        now_ += static_cast<std::uint32_t>(blocks->blocks.size());
      } else if (std::holds_alternative<TokensEvicted>(event)) {
        evicted_ = true;
      }
    }
    std::vector<std::uint32_t> before, after;  // blocks of each append that needed some

   private:
    std::uint32_t now_ = 0;
    bool evicted_ = false;
  } appends;
  RaggedRun run({2, 2, 2, 8}, TableKind::per_layer_per_head, Scope::per_layer_per_head);
  run.config.attention = std::make_shared<UnlikeHeads>();
  run.policy("kv_compress", {{"window", std::int64_t{8}}});
  run.config.eviction.budget = 4 * block;
  run.config.eviction.interval = 1;
  run.reclaim("fill_holes");
  run.config.sequences = {{0, 150}};
  const Summary summary = run.run(&appends);
  CHECK(appends.before == std::vector<std::uint32_t>(5, 4));
  CHECK(std::any_of(appends.after.begin(), appends.after.end(),
                    [](std::uint32_t blocks) { return blocks < 4; }));
  // A round a step: sequences never hold more than they may and one append needs.
  CHECK(summary.memory.kv_peak_blocks == 4 * 4 + 4);
  CHECK(run.simulation->cache().pool().held() <= 4 * 4);
}

// All sets stay above the budget for ever where they keep everything, and rounds still come in
// their interval.
TEST_CASE("head_pruning: a round every interval, however long the others grow") {
  RaggedRun run({2, 2, 2, 8}, TableKind::per_layer_per_head, Scope::per_layer_per_head);
  run.policy("head_pruning",
             {{"by", std::string("lazy_layers")}, {"threshold", 1.0}, {"recent", std::int64_t{8}}});
  run.config.eviction.interval = 20;
  run.reclaim("slide");
  run.config.sequences = {{50, 100}};
  const Summary summary = run.run();
  CHECK(summary.reclaim.rounds == 1 + 100 / 20);
  CHECK(summary.reclaim.evicted_set_tokens == 0);  // at most all attention is on sinks and recent
}
