// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<EvictionPolicy> zipage(std::uint32_t window, double redundancy,
                                       std::uint32_t budget = 0, std::uint32_t block_size = 0) {
  PolicyContext context;
  context.budget = budget;
  context.block_size = block_size;
  return make_policy("zipage", {{"window", std::int64_t{window}}, {"redundancy", redundancy}},
                     context);
}

/// Spec policies §3.22: attention of the last queries among live tokens, less by the largest cosine
/// to a later key of the same block.
std::vector<double> plain_zipage(const Case& c, std::uint32_t layer, std::uint32_t head,
                                 std::uint32_t window, double redundancy) {
  std::vector<double> scores(c.live.size());
  const std::uint32_t group = c.shape.group();
  for (std::uint32_t query = c.length - std::min(c.length, window); query < c.length; ++query)
    for (std::uint32_t q = head * group; q < (head + 1) * group; ++q) {
      const auto row = weights_of(*c.attention, layer, q, query);
      double mass = 0;
      for (const std::uint32_t token : c.live)
        if (token <= query) mass += row[token];
      for (std::size_t i = 0; i < c.live.size() && c.live[i] <= query; ++i)
        scores[i] += row[c.live[i]] / mass;
    }
  for (std::size_t i = 0; i < c.live.size(); ++i) {
    double most = 0;
    for (std::size_t j = i + 1; j < c.live.size(); ++j) {
      if (c.slots[i] / c.block_size != c.slots[j] / c.block_size) continue;
      const auto a = key_of(*c.attention, layer, head, c.live[i]),
                 b = key_of(*c.attention, layer, head, c.live[j]);
      most = std::max(most, plain_dot(a, b) / (plain_norm(a) * plain_norm(b)));
    }
    scores[i] *= 1 - redundancy * most;
  }
  return scores;
}

}  // namespace

TEST_CASE("zipage: a plain reading of the rule keeps the same tokens") {
  for (const auto& [window, redundancy] : {std::pair{8u, 0.0}, {16u, 0.9}, {3u, 0.4}})
    check_against_rule(
        *zipage(window, redundancy), 60, 2 * window + 8, 2 * window + 90,
        [window = window, redundancy = redundancy](const Case& c, const HeadRange& heads) {
          const auto scores = summed_scores(heads, c.live.size(), [&](auto layer, auto head) {
            return plain_zipage(c, layer, head, window, redundancy);
          });
          return plain_choice(c.live, scores, c.length, {0, window}, c.options.budget);
        });
}

TEST_CASE(
    "zipage: of two keys alike in a block the earlier goes, of two in different blocks none") {
  GivenVectors::Rows rows{{1, 0}, {0, 1}, {1, 0}, {-1, 0}, {1, 0}, {0, 1}};
  const GivenVectors given(rows, rows);  // attention is even
  Case c;
  c.shape = given.shape();
  c.length = 6;
  c.block_size = 4;
  c.attention = &given;
  c.options.budget = 5;
  CHECK(c.keep(*zipage(1, 1.0)).at(0) == Tokens{1, 2, 3, 4, 5});
  CHECK(c.keep(*zipage(1, 0.0)).at(0) == Tokens{0, 1, 2, 3, 5});
}

TEST_CASE("zipage: fires when the last block is full and leaves a block less") {
  CHECK_NOTHROW(zipage(8, 0, 64, 16));
  CHECK_THROWS_WITH(zipage(8, 0, 60, 16),
                    Catch::Contains("eviction.budget is 60") && Catch::Contains("16"));
  // N_max = 5 blocks of 16.
  EvictorOptions options;
  options.budget = 64;
  options.interval = 16;
  const auto policy = zipage(8, 0, 64, 16);
  const Evictor evictor(*policy, options, CacheLayout(1, 1, TableKind::shared, Scope::model), 16);
  CHECK_FALSE(evictor.length_due({78, 79, 0, 79, false}));
  CHECK(evictor.length_due({79, 80, 0, 80, false}));
}
