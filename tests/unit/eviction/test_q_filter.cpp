// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"
#include "tests/support/temporary_file.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<EvictionPolicy> q_filter(const std::string& lines, const AttentionShape& shape) {
  const TemporaryFile file("filters.txt", {lines.begin(), lines.end()});
  PolicyContext context;
  context.layers = shape.layers;
  context.kv_heads = shape.kv_heads;
  context.head_dim = shape.head_dim;
  return make_policy("q_filter", {{"filters", file.path().string()}}, context);
}

}  // namespace

TEST_CASE("q_filter: a plain reading of the rule keeps the same tokens") {
  Random random(23);
  for (int run = 0; run < 60; ++run) {
    MadeRound made(random, 10, 60);
    if (!made.set_budget(random, {})) continue;
    const Case& c = made.c;
    std::vector<std::vector<double>> filters(c.shape.layers * c.shape.kv_heads);
    std::string lines;
    for (auto& filter : filters) {
      for (std::uint32_t i = 0; i < c.shape.head_dim; ++i) {
        filter.push_back((static_cast<double>(random.below(2001)) - 1000) / 1000);
        lines += std::to_string(filter.back()) + ' ';
      }
      lines += '\n';
    }
    INFO("run " << run << ", " << enum_name(c.scope) << ", budget " << c.options.budget);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
    const auto kept = c.keep(*q_filter(lines, c.shape));
    REQUIRE(kept.size() == layout.policy_sets());
    for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
      const auto scores = summed_scores(
          layout.heads(set), c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
            std::vector<double> one;
            for (const std::uint32_t token : c.live)
              one.push_back(-plain_dot(filters[layer * c.shape.kv_heads + head],
                                       key_of(*c.attention, layer, head, token)));
            return one;
          });
      CHECK(kept[set] == plain_choice(c.live, scores, c.length, {}, c.options.budget));
    }
  }
}

TEST_CASE("q_filter: filters that are missing or of another model are the user's error") {
  CHECK_THROWS_WITH(make_policy("q_filter"), Catch::Contains("q_filter.filters is missing"));
  CHECK_THROWS_WITH(q_filter("1 2\n", {1, 1, 1, 3}),
                    Catch::Contains("has 2 components, but a filter of the model has 3;"));
  CHECK_THROWS_WITH(q_filter("1 2\n", {2, 2, 1, 2}),
                    Catch::Contains("components of 1 filter, but the model has 2;"));
  CHECK_THROWS_WITH(q_filter("1 x\n", {1, 1, 1, 2}),
                    Catch::Contains("\"x\" where a component should be"));
}
