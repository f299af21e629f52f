// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/eviction/page_bounds.hpp"
#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<EvictionPolicy> quest(std::uint32_t token_budget, std::uint32_t dense_layers) {
  return make_policy("quest", {{"token_budget", std::int64_t{token_budget}},
                               {"dense_layers", std::int64_t{dense_layers}}});
}

/// Spec policies §3.7: the tokens of the pages of largest sum over channels of
/// max(q·min, q·max), and of the last page.
Tokens plain_read(const Case& c, std::uint32_t layer, std::uint32_t q, std::uint32_t query,
                  std::uint32_t pages_read) {
  std::map<std::uint32_t, Tokens> pages;
  for (std::size_t i = 0; i < c.live.size(); ++i)
    pages[c.slots[i] / c.block_size].push_back(c.live[i]);
  const auto vector = query_of(*c.attention, layer, q, query);
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [page, tokens] : pages) {
    double bound = 0;
    for (std::size_t channel = 0; channel < vector.size(); ++channel) {
      double least = 1e300, most = -1e300;
      for (const std::uint32_t token : tokens) {
        const double k = key_of(*c.attention, layer, q / c.shape.group(), token)[channel];
        least = std::min(least, k);
        most = std::max(most, k);
      }
      bound += std::max(vector[channel] * least, vector[channel] * most);
    }
    order.emplace_back(page == pages.rbegin()->first ? -1e300 : -bound, page);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min<std::size_t>(order.size(), pages_read));
  Tokens read;
  for (const auto& [bound, page] : order)
    read.insert(read.end(), pages[page].begin(), pages[page].end());
  std::sort(read.begin(), read.end());
  return read;
}

EvictionRound round_of(const Case& c, const CacheLayout& layout) {
  EvictionRound round;
  round.next_position = c.length;
  round.block_size = c.block_size;
  round.layout = &layout;
  round.live = c.live;
  round.slots = c.slots;
  round.attention = c.attention;
  return round;
}

Tokens tokens_read(TokenReader& reader, const Case& c, std::uint32_t q, std::uint32_t query) {
  std::vector<std::uint8_t> read(c.length);
  for (const std::uint32_t token : c.live)
    read[token] = 1;
  reader.pass_over(q, query, read);
  Tokens tokens;
  for (std::uint32_t token = 0; token < c.length; ++token)
    if (read[token]) tokens.push_back(token);
  return tokens;
}

}  // namespace

TEST_CASE("quest: a query reads the pages that a plain reading of the rule gives it") {
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    MadeRound made(random, 20, 120);
    Case& c = made.c;
    c.block_size = random.of({4u, 8u});
    const std::uint32_t budget = 1 + random.below(60);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, Scope::model);
    const EvictionRound round = round_of(c, layout);
    const auto policy = quest(budget, 0);
    for (std::uint32_t layer = 0; layer < c.shape.layers; ++layer)
      for (std::uint32_t q = 0; q < c.shape.query_heads; ++q) {
        const auto reader = policy->open_reader(round, layer, q / c.shape.group());
        for (const std::uint32_t query : {c.length - 1, c.length / 2})
          CHECK(tokens_read(*reader, c, q, query) ==
                plain_read(c, layer, q, query, std::max(3u, budget / c.block_size)));
      }
  }
}

TEST_CASE("quest: evicts nothing, and its first layers are dense") {
  Case c;
  c.shape = {3, 2, 1, 8};
  CHECK(c.keep(*quest(16, 2)).at(0) == first_tokens(64));
  const FakeAttention attention(c.shape, 64);
  c.attention = &attention;
  c.live = c.slots = first_tokens(64);
  const CacheLayout layout(3, 1, TableKind::shared, Scope::model);
  const EvictionRound round = round_of(c, layout);
  const auto policy = quest(16, 2);
  CHECK(policy->open_reader(round, 0, 0) == nullptr);
  CHECK(policy->open_reader(round, 1, 0) == nullptr);
  const auto reader = policy->open_reader(round, 2, 0);
  CHECK(tokens_read(*reader, c, 0, 63).size() == 48);  // three pages at least
}

TEST_CASE("quest: the budget is the scenario's unless it has one, and must be somewhere") {
  CHECK_THROWS_WITH(make_policy("quest"), Catch::Contains("eviction.budget"));
  PolicyContext context;
  context.budget = 512;
  CHECK_NOTHROW(make_policy("quest", {}, context));
}

// Page bounds promise that no logit exceeds them. Bounds kept over a move promise that of keys that
// are elsewhere by now.
TEST_CASE("E-09: page bounds are of the keys that stand in the page after a move") {
  Random random(8);
  std::uint32_t broken = 0;
  for (int i = 0; i < 30; ++i) {
    MadeRound made(random, 60, 100);
    Case& c = made.c;
    c.block_size = 4;
    // Half of the tokens go; the last survivors move into the first holes.
    Tokens survivors, moved;
    for (std::size_t n = 0; n < c.live.size(); n += 2)
      survivors.push_back(c.live[n]);
    const auto n = static_cast<std::uint32_t>(survivors.size());
    Tokens old_slots, new_slots;
    for (std::uint32_t k = 0; k < n; ++k) {
      old_slots.push_back(2 * k);
      new_slots.push_back((k * 7 + 3) % n);
    }
    if (n % 7 == 0) continue;
    const std::uint32_t dim = c.shape.head_dim;
    PageBounds stale(2 * n / 4 + 1, dim), rebuilt(2 * n / 4 + 1, dim);
    const auto key = [&](std::uint32_t token) {
      std::vector<float> row(dim);
      c.attention->keys(0, 0, token, row);
      return row;
    };
    for (std::uint32_t k = 0; k < n; ++k) {
      stale.add(old_slots[k] / 4, key(survivors[k]));
      rebuilt.add(new_slots[k] / 4, key(survivors[k]));
    }
    std::vector<float> query(dim);
    c.attention->queries(0, 0, c.length - 1, query);
    for (std::uint32_t k = 0; k < n; ++k) {
      const double logit = plain_dot(as_doubles(query), as_doubles(key(survivors[k])));
      CHECK(logit <= rebuilt.bound(new_slots[k] / 4, query) + 1e-9);
      if (logit > stale.bound(new_slots[k] / 4, query) + 1e-9) ++broken;
    }
    // The policy builds its pages from the slots of the round.
    c.live = survivors;
    c.slots = new_slots;
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, Scope::model);
    const auto reader = quest(12, 0)->open_reader(round_of(c, layout), 0, 0);
    CHECK(tokens_read(*reader, c, 0, c.length - 1) == plain_read(c, 0, 0, c.length - 1, 3));
  }
  CHECK(broken > 30);
}
