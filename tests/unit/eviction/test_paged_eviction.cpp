// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::vector<double> norm_ratios(const Case& c, const HeadRange& heads) {
  return summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> scores;
    for (const std::uint32_t token : c.live)
      scores.push_back(plain_norm(value_of(*c.attention, layer, head, token)) /
                       plain_norm(key_of(*c.attention, layer, head, token)));
    return scores;
  });
}

/// Spec policies §3.20 in a decode round: the newest block and the best others by mean importance,
/// ceil(K / B) blocks' worth.
Tokens plain_blocks(const Case& c, const HeadRange& heads) {
  const auto scores = norm_ratios(c, heads);
  std::map<std::uint32_t, std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < c.live.size(); ++i)
    blocks[c.slots[i] / c.block_size].push_back(i);
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [block, tokens] : blocks) {
    double sum = 0;
    for (const std::size_t i : tokens)
      sum += scores[i];
    order.emplace_back(-sum / static_cast<double>(tokens.size()), block);
  }
  const auto newest = order.back();
  order.pop_back();
  std::sort(order.begin(), order.end());
  const std::size_t in_newest = blocks[newest.second].size();
  const std::size_t rest = c.options.budget - std::min<std::size_t>(c.options.budget, in_newest);
  Tokens kept;
  const auto take = [&](std::uint32_t block) {
    for (const std::size_t i : blocks[block])
      kept.push_back(c.live[i]);
  };
  take(newest.second);
  for (std::size_t i = 0; i < std::min(order.size(), (rest + c.block_size - 1) / c.block_size); ++i)
    take(order[i].second);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

TEST_CASE("paged_eviction: a plain reading of the rule keeps the same tokens") {
  const auto policy = make_policy("paged_eviction");
  check_against_rule(*policy, 150, 20, 250,
                     [](const Case& c, const HeadRange& heads) { return plain_blocks(c, heads); });
  // At the end of the prompt: the best tokens, wherever they are.
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    MadeRound made(random, 20, 200);
    if (!made.set_budget(random, {0, 0})) continue;
    Case& c = made.c;
    c.prompt = c.length;
    c.scope = Scope::model;
    const HeadRange all{0, c.shape.layers, 0, c.shape.kv_heads};
    CHECK(c.keep(*policy).at(0) ==
          plain_choice(c.live, norm_ratios(c, all), c.length, {0, 0}, c.options.budget));
    CHECK(c.keep(*make_policy("paged_eviction", {{"prompt_cut", std::string("blocks")}})).at(0) ==
          plain_blocks(c, all));
  }
}

TEST_CASE("E-21: paged_eviction drops one block a round, and all but the newest stay full") {
  constexpr std::uint32_t block = 16, budget = 64;
  const auto policy = make_policy("paged_eviction");
  Case c;
  c.block_size = block;
  c.options.budget = budget;
  const FakeAttention attention(c.shape, 640);
  c.attention = &attention;
  c.live = first_tokens(budget);
  // Blocks leave the table without a move: slots are dense, order is kept.
  for (std::uint32_t length = budget + block; length <= 640; length += block) {
    for (std::uint32_t token = length - block; token < length; ++token)
      c.live.push_back(token);
    c.slots = first_tokens(budget + block);
    c.length = length;
    const Tokens kept = c.keep(*policy).at(0);
    REQUIRE(kept.size() == budget);
    std::map<std::uint32_t, std::uint32_t> held;  // blocks of positions are blocks of slots here
    for (const std::uint32_t token : kept)
      ++held[token / block];
    CHECK(held.size() == budget / block);
    CHECK(held.rbegin()->first == (length - 1) / block);
    for (const auto& [place, tokens] : held)
      CHECK(tokens == block);
    c.live = kept;
  }
}

TEST_CASE("paged_eviction: keys of length zero give no NaN") {
  GivenVectors::Rows keys(48, {1, 0}), values(48, {1, 0});
  for (std::size_t token = 16; token < 32; ++token)
    keys[token] = values[token] = {0, 0};
  const GivenVectors given(keys, values);
  Case c;
  c.shape = given.shape();
  c.length = 48;
  c.attention = &given;
  c.options.budget = 32;
  Tokens expected = first_tokens(16);
  for (std::uint32_t token = 32; token < 48; ++token)
    expected.push_back(token);
  CHECK(c.keep(*make_policy("paged_eviction")).at(0) == expected);
}
