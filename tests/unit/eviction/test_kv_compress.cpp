// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/counting_attention.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Squared attention of the prompt's last queries, pooled, then of all later ones (spec policies
/// §3.21), token by token.
std::vector<double> plain_metric(const Case& c, const HeadRange& heads, const Tokens& live,
                                 std::uint32_t observed, std::uint32_t kernel) {
  return summed_scores(heads, live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    const std::uint32_t group = c.shape.group();
    const auto squares = [&](std::uint32_t token, std::uint32_t first, std::uint32_t last) {
      double sum = 0;
      for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
        for (std::uint32_t query = std::max(first, token); query < last; ++query) {
          const double weight = weights_of(*c.attention, layer, q, query)[token];
          sum += weight * weight;
        }
      return sum;
    };
    const std::uint32_t first = c.prompt - std::min(c.prompt, observed);
    std::vector<double> prompt;
    for (std::uint32_t token = 0; token < c.prompt; ++token)
      prompt.push_back(squares(token, first, c.prompt));
    std::vector<double> metric;
    for (const std::uint32_t token : live) {
      double best = 0;
      for (std::uint32_t near = token - std::min(token, kernel / 2);
           token < c.prompt && near <= token + kernel / 2 && near < c.prompt; ++near)
        best = std::max(best, prompt[near]);
      metric.push_back(best + squares(token, c.prompt, c.length));
    }
    return metric;
  });
}

/// One ascending walk over the candidates of all sets, counting down to each set's next free block,
/// until enough blocks are free; then every set is cut to whole blocks.
std::vector<std::size_t> plain_walk(const Case& c, const std::vector<PlainSet>& sets,
                                    std::optional<std::size_t> blocks_to_evict = {}) {
  const std::size_t b = c.block_size;
  const auto blocks = [&](std::size_t tokens) { return (tokens + b - 1) / b; };
  std::size_t held = 0, allowed = 0;
  std::vector<std::pair<double, std::size_t>> walk;
  std::vector<std::size_t> next, gone(sets.size()), whole(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t tokens = sets[set].live.size();
    held += blocks(tokens);
    allowed += blocks(sets[set].keep);
    next.push_back(tokens % b == 0 ? b : tokens % b);  // hanging
    for (const double score : sets[set].open_scores())
      walk.emplace_back(score, set);
  }
  std::sort(walk.begin(), walk.end());
  std::size_t wanted = blocks_to_evict.value_or(held - std::min(held, allowed));
  for (std::size_t i = 0; i < walk.size() && wanted > 0; ++i) {
    const std::size_t set = walk[i].second;
    ++gone[set];
    if (--next[set] > 0) continue;
    next[set] = b;
    whole[set] = gone[set];
    --wanted;
  }
  std::vector<std::size_t> shares;
  for (std::size_t set = 0; set < sets.size(); ++set)
    shares.push_back(sets[set].live.size() - whole[set]);
  return shares;
}

}  // namespace

TEST_CASE("kv_compress: a plain walk over all heads keeps the same tokens") {
  for (const auto& [window, observed, kernel] :
       {std::tuple{0u, 32u, 7u}, {4u, 3u, 1u}, {9u, 8u, 3u}})
    check_shares(
        *make_policy("kv_compress", {{"window", std::int64_t{window}},
                                     {"prefill_queries", std::int64_t{observed}},
                                     {"kernel", std::int64_t{kernel}}}),
        100, 20, 90,
        [observed = observed, kernel = kernel](const Case& c, const HeadRange& heads,
                                               const Tokens& live) {
          return plain_metric(c, heads, live, observed, kernel);
        },
        [](const Case& c, const std::vector<PlainSet>& sets) { return plain_walk(c, sets); });
}

TEST_CASE("kv_compress: the metric does not depend on the rounds at which it was taken") {
  Random random(5);
  const FakeAttention attention({2, 4, 2, 0}, 90, 5);
  const auto policy = make_policy("kv_compress", {{"window", std::int64_t{4}},
                                                  {"prefill_queries", std::int64_t{8}},
                                                  {"kernel", std::int64_t{3}}});
  for (const std::uint32_t prompt : {0u, 3u, 40u, 90u}) {
    const auto state = policy->open_state(attention.shape(), prompt);
    Case c;
    c.shape = attention.shape();
    c.scope = Scope::per_layer_per_head;
    c.block_size = 4;
    c.attention = &attention;
    c.state = state.get();
    c.options.budget = 8;
    const CacheLayout layout(2, 2, TableKind::shared, c.scope);
    for (c.length = 9; c.length <= 90; c.length += 1 + random.below(12)) {
      c.prompt = std::min(prompt, c.length);  // it may be incomplete
      state->advance(attention, c.length);
      std::vector<PlainSet> sets(layout.policy_sets());
      for (std::uint32_t set = 0; set < sets.size(); ++set) {
        sets[set].live = first_tokens(c.length);
        sets[set].keep = c.options.budget;
        sets[set].scores = plain_metric(c, layout.heads(set), sets[set].live, 8, 3);
        for (const std::uint32_t token : sets[set].live)
          sets[set].guarded.push_back(token + 4 >= c.length);
      }
      const auto shares = plain_walk(c, sets);
      const auto kept = c.keep(*policy);
      INFO(c.length << " tokens, prompt of " << prompt);
      REQUIRE(kept.size() == sets.size());
      for (std::size_t set = 0; set < sets.size(); ++set)
        CHECK(kept[set] ==
              plain_choice(sets[set].live, sets[set].scores, c.length, {0, 4}, shares[set]));
    }
  }
}

TEST_CASE("kv_compress: a round reads the queries that are new") {
  const FakeAttention attention({2, 4, 2, 0}, 90, 5);
  const auto policy = make_policy("kv_compress", {{"prefill_queries", std::int64_t{8}}});
  const auto state = policy->open_state(attention.shape(), 40);
  for (const auto& [length, rows] : {std::pair{40u, 8u}, {50u, 10u}, {51u, 1u}, {90u, 39u}}) {
    const CountingAttention counting(attention);
    state->advance(counting, length);
    CHECK(counting.rows() == 2 * 4 * rows);
    CHECK(counting.most_reads() == 1);
  }
}

TEST_CASE(
    "E-22: kv_compress cuts every head to whole blocks, and a head with too few candidates "
    "frees nothing") {
  const FakeAttention attention({2, 4, 2, 0}, 100, 5);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.length = 100;
  c.attention = &attention;
  c.options.budget = 48;  // 7 blocks of 16 hold 100 tokens: 4 * (7 - 3) have to go
  std::size_t blocks = 0;
  for (const Tokens& kept : c.keep(*make_policy("kv_compress", {{"window", std::int64_t{8}}}))) {
    CHECK((kept.size() == 100 || kept.size() % 16 == 0));
    blocks += (kept.size() + 15) / 16;
  }
  CHECK(blocks == 4 * 3);

  // Head 0 holds 20 tokens, of which 17 are in the window: 3 candidates, and its last block has 4.
  c.lives.assign(4, first_tokens(100));
  c.lives[0] = first_tokens(3);
  for (std::uint32_t token = 83; token < 100; ++token)
    c.lives[0].push_back(token);
  const auto kept = c.keep(*make_policy("kv_compress", {{"window", std::int64_t{17}}}));
  REQUIRE(kept.size() == 4);
  CHECK(kept[0] == c.lives[0]);
  CHECK(kept[1].size() + kept[2].size() + kept[3].size() == 10 * 16);
}

TEST_CASE("kv_compress: a target rate says how many blocks of all heads go") {
  const std::uint32_t window = 5;
  for (const double rate : {0.0, 0.25, 0.6, 1.0})
    check_shares(
        *make_policy("kv_compress",
                     {{"window", std::int64_t{window}}, {"target_compression_rate", rate}}),
        60, 20, 90,
        [](const Case& c, const HeadRange& heads, const Tokens& live) {
          return plain_metric(c, heads, live, 32, 7);
        },
        [rate](const Case& c, const std::vector<PlainSet>& sets) {
          // Spec policies §3.21, with L·H the sets.
          const std::size_t b = c.block_size, prot = (window + b - 1) / b * b;
          std::size_t count = 0;
          for (const PlainSet& set : sets)
            count += set.live.size();
          const double stay =
              std::ceil(rate *
                        static_cast<double>(c.length - std::min<std::size_t>(c.length, prot)) *
                        static_cast<double>(sets.size())) +
              static_cast<double>(prot * sets.size());
          const double gone =
              std::ceil((static_cast<double>(count) - stay) / static_cast<double>(b));
          return plain_walk(c, sets, static_cast<std::size_t>(std::max(0.0, gone)));
        });
}

TEST_CASE("kv_compress: layers that give evenly give a multiple of their number") {
  const FakeAttention attention({3, 4, 2, 0}, 100, 5);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.length = 100;
  c.attention = &attention;
  // All heads of layer 0 hold five blocks, and those of the others seven: 38 - 6 * 4 = 14 have to
  // go, which three layers can give evenly up to 12.
  c.options.budget = 60;
  c.lives.assign(6, first_tokens(100));
  for (const std::size_t set : {0u, 1u})
    c.lives[set].erase(c.lives[set].begin() + 10, c.lives[set].begin() + 30);
  const auto kept = c.keep(
      *make_policy("kv_compress", {{"window", std::int64_t{8}}, {"even_layer_evict", true}}));
  REQUIRE(kept.size() == 6);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    std::size_t given = 0;
    for (const std::size_t set : {2 * layer, 2 * layer + 1})
      given += (c.lives[set].size() + 15) / 16 - (kept[set].size() + 15) / 16;
    CHECK(given == 4);
  }
}
