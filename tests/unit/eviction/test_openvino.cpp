// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct OpenVinoRule {
  std::uint32_t start = 32, recent = 128;
  std::string aggregation = "norm_sum";
  std::uint32_t prompt_window = 8, pooling = 7;
};

std::unique_ptr<EvictionPolicy> openvino(const OpenVinoRule& rule, std::uint32_t budget = 0,
                                         std::uint32_t block_size = 0) {
  PolicyContext context;
  context.budget = budget;
  context.block_size = block_size;
  return make_policy("openvino",
                     {{"start", std::int64_t{rule.start}},
                      {"recent", std::int64_t{rule.recent}},
                      {"aggregation", rule.aggregation},
                      {"prompt_window", std::int64_t{rule.prompt_window}},
                      {"pooling", std::int64_t{rule.pooling}}},
                     context);
}

/// One observation: attention of some queries over all heads of the layer, forward maximum.
void observe(const Case& c, std::uint32_t layer, std::uint32_t first, std::uint32_t last,
             std::uint32_t pooling, std::vector<double>& sums) {
  std::vector<double> seen(last);
  for (std::uint32_t query = first; query < last; ++query)
    for (std::uint32_t q = 0; q < c.shape.query_heads; ++q) {
      const auto row = weights_of(*c.attention, layer, q, query);
      for (std::size_t j = 0; j < row.size(); ++j)
        seen[j] += row[j];
    }
  for (std::size_t j = 0; j < last; ++j) {
    double most = 0;
    for (std::size_t k = j; k < std::min<std::size_t>(last, j + pooling); ++k)
      most = std::max(most, seen[k]);
    sums[j] += most;
  }
}

/// Spec policies §3.23 for one layer. Blocks are full but for the newest, in position order.
Tokens plain_openvino(const Case& c, std::uint32_t layer, const OpenVinoRule& rule) {
  if (c.length <= c.prompt) return c.live;
  std::vector<double> sums(c.length);
  const std::uint32_t window = rule.prompt_window == 0 ? c.prompt : rule.prompt_window;
  const std::uint32_t first = c.prompt - std::min(c.prompt, window);
  if (c.prompt > 0) observe(c, layer, first, c.prompt, rule.pooling, sums);
  for (std::uint32_t query = c.prompt; query < c.length; ++query)
    observe(c, layer, query, query + 1, rule.pooling, sums);

  const std::size_t b = c.block_size, full = c.live.size() / b;
  std::vector<double> blocks(full);
  for (std::size_t i = 0; i < full * b; ++i) {
    const std::uint32_t token = c.live[i];
    double score = sums[token];
    if (rule.aggregation == "norm_sum") score /= c.length - std::max(token, first);
    blocks[i / b] += score;
  }
  const std::size_t begin = rule.start / b, end = full - rule.recent / b;
  const std::size_t area = (c.options.budget - rule.start - rule.recent) / b;
  Tokens order;
  for (std::size_t block = begin; block < end; ++block)
    order.push_back(static_cast<std::uint32_t>(block));
  // The lowest go; of equals the later one, as everywhere here.
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b2) { return blocks[a] > blocks[b2]; });
  std::vector<bool> gone(full + 1);
  for (std::size_t i = area; i < order.size(); ++i)
    gone[order[i]] = true;
  Tokens kept;
  for (std::size_t i = 0; i < c.live.size(); ++i)
    if (!gone[i / b]) kept.push_back(c.live[i]);
  return kept;
}

}  // namespace

TEST_CASE("openvino: a plain reading of the rule keeps the same blocks in each layer") {
  const AttentionShape shape{2, 4, 2, 4};
  Random random(3);
  std::uint32_t cut = 0;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::uint32_t length = 60 + random.below(60);
    const FakeAttention attention(shape, length, i);
    Case c;
    c.shape = shape;
    c.scope = Scope::per_layer;
    c.block_size = 4;
    c.length = length;
    c.prompt = random.of({0u, 9u, 40u, length - 1, length});
    c.attention = &attention;
    const OpenVinoRule rule{random.of({0u, 4u, 8u}), random.of({4u, 8u, 16u}),
                            random.of({std::string("norm_sum"), std::string("sum")}),
                            random.of({0u, 3u, 8u}), random.of({1u, 3u, 7u})};
    c.options.budget = rule.start + rule.recent + 4 * (1 + random.below(6));
    // What earlier rounds leave: whole blocks gone, slots no longer positions.
    for (std::uint32_t block = 0; block < length / 4 + 1; ++block)
      for (std::uint32_t token = 4 * block; token < std::min(4 * block + 4, length); ++token)
        if (4 * block < rule.start || 4 * block + 20 >= length || (block * 7 + i) % 5 != 0)
          c.live.push_back(token);
    c.slots = c.live;
    INFO(i << ": " << c.live.size() << " of " << length << ", prompt " << c.prompt << ", budget "
           << c.options.budget << ", start " << rule.start << ", recent " << rule.recent);
    if (c.live.size() < c.options.budget + 4) continue;
    const auto sets = c.keep(*openvino(rule));
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
      CHECK(sets.at(layer) == plain_openvino(c, layer, rule));
      cut += sets[layer].size() < c.live.size();
    }
  }
  CHECK(cut > 40);
}

TEST_CASE("openvino: the heads of a layer choose alike at any finer scope") {
  const AttentionShape shape{2, 4, 2, 4};
  Case c;
  c.shape = shape;
  c.length = 120;
  c.block_size = 4;
  c.options.budget = 60;
  const auto policy = openvino({8, 16, "sum", 8, 7});
  c.scope = Scope::per_layer;
  const auto layers = c.keep(*policy);
  c.scope = Scope::per_layer_per_head;
  CHECK(c.keep(*policy) == std::vector<Tokens>{layers[0], layers[0], layers[1], layers[1]});
}

TEST_CASE("E-24: openvino refuses areas that are not whole blocks") {
  CHECK_NOTHROW(openvino({}, 672, 16));
  CHECK_NOTHROW(openvino({}, 672, 32));
  CHECK_THROWS_WITH(openvino({}, 680, 16),
                    Catch::Contains("eviction.budget is 680") && Catch::Contains("16"));
  CHECK_THROWS_WITH(openvino({40, 128}, 672, 16), Catch::Contains("eviction.openvino.start"));
  CHECK_THROWS_WITH(openvino({32, 100}, 672, 16), Catch::Contains("eviction.openvino.recent"));
}

// 1,600 tokens of prompt, areas of 32, 512 and 128: 100 blocks, of which 42 stay.
TEST_CASE("E-24: openvino cuts a long prompt at the first token of the output, all at once") {
  const FakeAttention attention({1, 1, 1, 2}, 1601);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer;
  c.attention = &attention;
  c.options.budget = 672;
  c.prompt = c.length = 1600;
  const auto policy = openvino({});
  CHECK(c.keep(*policy).at(0).size() == 1600);
  c.length = 1601;
  const Tokens kept = c.keep(*policy).at(0);
  CHECK(kept.size() == 672 + 1);
  CHECK(kept[31] == 31);
  CHECK(kept[kept.size() - 129] == 1600 - 128);
  // The trigger: a length above max + B - 1.
  EvictorOptions options = c.options;
  options.trigger = TriggerKind::slack;
  options.interval = 16;
  const Evictor evictor(*policy, options, CacheLayout(1, 1, TableKind::per_layer, Scope::per_layer),
                        16);
  CHECK_FALSE(evictor.length_due({686, 687, 0, 687, false}));
  CHECK(evictor.length_due({687, 688, 0, 688, false}));
}
