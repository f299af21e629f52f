// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

// Methods whose rule is a score or a range of positions, on made rounds.

TEST_CASE("streaming_llm, sliding_window, rolling_buffer: first tokens and the last ones") {
  for (const auto& [name, sinks] :
       {std::pair{"streaming_llm", 4u}, {"sliding_window", 0u}, {"rolling_buffer", 0u}}) {
    INFO(name);
    check_against_rule(*make_policy(name), 100, 20, 120, [sinks = sinks](const Case& c, HeadRange) {
      std::vector<double> by_position(c.live.begin(), c.live.end());
      return plain_choice(c.live, by_position, c.length, {sinks, 0}, c.options.budget);
    });
  }
}

// Contract, random draws: word 0 of Philox at (sequence, layer * H + head, round, token).
TEST_CASE("random: the largest draws of a set's first head") {
  PolicyContext context;
  context.seed = 0x123456789abcdef;
  check_against_rule(
      *make_policy("random", {}, context), 100, 20, 300, [](const Case& c, HeadRange heads) {
        const std::uint32_t set = heads.first_layer * c.shape.kv_heads + heads.first_head;
        std::vector<double> draws;
        for (const std::uint32_t token : c.live)
          draws.push_back(philox4x32_10({3, set, c.round, token}, {0x89abcdef, 0x1234567})[0]);
        return plain_choice(c.live, draws, c.length, {}, c.options.budget);
      });
}

TEST_CASE("h2o: half the last tokens, half by the attention of all queries") {
  check_against_rule(*make_policy("h2o"), 60, 20, 100, [](const Case& c, HeadRange heads) {
    const auto scores =
        summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
          std::vector<double> sums(c.live.size());
          const std::uint32_t group = c.shape.group();
          for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
            for (std::uint32_t query = 0; query < c.length; ++query) {
              const auto row = weights_of(*c.attention, layer, q, query);
              for (std::size_t i = 0; i < c.live.size(); ++i)
                if (c.live[i] <= query) sums[i] += row[c.live[i]];
            }
          return sums;
        });
    return plain_choice(c.live, scores, c.length, {0, c.options.budget / 2}, c.options.budget);
  });
}

TEST_CASE("snapkv: the last queries' attention, pooled") {
  // Averages of tokens that are alike differ by rounding: test_snapkv.cpp has them by hand.
  for (const bool max_pool : {false, true}) {
    const std::uint32_t kernel = max_pool ? 5 : 1;
    const auto policy = make_policy("snapkv", {{"window", std::int64_t{6}},
                                               {"kernel", std::int64_t{kernel}},
                                               {"pooling", std::string(max_pool ? "max" : "avg")}});
    check_against_rule(*policy, 80, 20, 120, [&](const Case& c, HeadRange heads) {
      return plain_choice(c.live, plain_window_scores(c, heads, c.live, 6, kernel, max_pool),
                          c.length, {0, 6}, c.options.budget);
    });
  }
}

TEST_CASE("knorm: the shortest keys") {
  check_against_rule(*make_policy("knorm"), 100, 20, 300, [](const Case& c, HeadRange heads) {
    const auto scores =
        summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
          std::vector<double> norms;
          for (const std::uint32_t token : c.live)
            norms.push_back(-plain_norm(key_of(*c.attention, layer, head, token)));
          return norms;
        });
    return plain_choice(c.live, scores, c.length, {}, c.options.budget);
  });
}
