// SPDX-License-Identifier: Apache-2.0
// whole_blocks, swap and two_price against plain readings of spec block_aware §3.
#include <catch2/catch.hpp>
#include <set>

#include "sim/eviction/attention_memory.hpp"
#include "sim/eviction/block_oracle.hpp"
#include "tests/support/policy_cases.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t memory_window = 5;
const std::map<std::string, ParameterValue> windowed = {
    {"memory", std::string("window")}, {"memory_window", std::int64_t{memory_window}}};

std::unique_ptr<EvictionPolicy> policy(const std::string& name,
                                       const std::map<std::string, ParameterValue>& changes = {}) {
  std::map<std::string, ParameterValue> all = windowed;
  all.insert(changes.begin(), changes.end());
  return make_policy(name, all);
}

/// What the last queries paid to each live token, summed over the set's heads.
std::vector<double> attention_paid(const Case& c, const HeadRange& heads) {
  return summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> result(c.live.size());
    const std::uint32_t group = c.shape.group();
    for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
      for (std::uint32_t query = c.length - std::min(c.length, memory_window); query < c.length;
           ++query) {
        const auto row = weights_of(*c.attention, layer, q, query);
        for (std::size_t i = 0; i < c.live.size(); ++i)
          if (c.live[i] < row.size()) result[i] += row[c.live[i]];
      }
    return result;
  });
}

std::uint32_t block_of(const Case& c, std::size_t i) {
  return c.slots[i] / c.block_size;
}
std::uint32_t newest_block(const Case& c) {
  return *std::max_element(c.slots.begin(), c.slots.end()) / c.block_size;
}

/// The newest block and the best others by the sum of their scores, so many that they hold the
/// budget if the others are full.
std::set<std::uint32_t> plain_blocks(const Case& c, const std::vector<double>& scores) {
  const std::uint32_t newest = newest_block(c);
  std::map<std::uint32_t, double> worth;
  std::uint32_t in_newest = 0;
  for (std::size_t i = 0; i < c.live.size(); ++i) {
    worth[block_of(c, i)] += scores[i];
    in_newest += block_of(c, i) == newest;
  }
  worth.erase(newest);
  std::set<std::uint32_t> chosen = {newest};
  for (std::uint32_t room = in_newest; room < c.options.budget && !worth.empty();
       room += c.block_size) {
    const auto best = std::max_element(worth.begin(), worth.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    chosen.insert(best->first);
    worth.erase(best);
  }
  return chosen;
}

std::set<std::size_t> tokens_in(const Case& c, const std::set<std::uint32_t>& blocks) {
  std::set<std::size_t> kept;
  for (std::size_t i = 0; i < c.live.size(); ++i)
    if (blocks.count(block_of(c, i))) kept.insert(i);
  return kept;
}

Tokens tokens_of(const Case& c, const std::set<std::size_t>& kept) {
  Tokens tokens;
  for (const std::size_t i : kept)
    tokens.push_back(c.live[i]);
  return tokens;
}

}  // namespace

TEST_CASE("whole_blocks keeps what its rule says", "[property]") {
  check_against_rule(*policy("whole_blocks", {{"aggregate", std::string("sum")}}), 300, 20, 120,
                     [](const Case& c, const HeadRange& heads) {
                       return tokens_of(c, tokens_in(c, plain_blocks(c, attention_paid(c, heads))));
                     });
}

TEST_CASE("swap keeps what its rule says", "[property]") {
  for (const std::int64_t swaps : {0, 3, 1000}) {
    const auto rule = [&](const Case& c, const HeadRange& heads) {
      const auto scores = attention_paid(c, heads);
      std::set<std::size_t> kept = tokens_in(c, plain_blocks(c, scores));
      for (std::int64_t n = 0; n < swaps; ++n) {
        // The lowest token of the best outside, the highest of the worst inside.
        std::size_t in = c.live.size(), out = c.live.size();
        for (std::size_t i = 0; i < c.live.size(); ++i) {
          if (kept.count(i) == 0 && (in == c.live.size() || scores[i] > scores[in])) in = i;
          if (kept.count(i) == 1 && (out == c.live.size() || scores[i] <= scores[out])) out = i;
        }
        if (in == c.live.size() || out == c.live.size() || scores[in] <= scores[out]) break;
        kept.erase(out);
        kept.insert(in);
      }
      return tokens_of(c, kept);
    };
    check_against_rule(*policy("swap", {{"swaps", swaps}}), 200, 20, 120, rule);
  }
}

TEST_CASE("two_price keeps the budget at no price and fewer blocks the higher it is",
          "[property]") {
  Random random(5);
  for (int run = 0; run < static_cast<int>(scaled(200)); ++run) {
    MadeRound made(random, 20, 120);
    if (!made.set_budget(random, {})) continue;
    made.c.scope = Scope::model;
    const Case& c = made.c;
    INFO("run " << run << ", budget " << c.options.budget);
    const HeadRange all{0, c.shape.layers, 0, c.shape.kv_heads};
    const auto scores = attention_paid(c, all);
    const auto blocks_of = [&](const Tokens& kept) {
      std::set<std::uint32_t> blocks = {newest_block(c)};
      for (const std::uint32_t token : kept)
        blocks.insert(
            block_of(c, static_cast<std::size_t>(std::find(c.live.begin(), c.live.end(), token) -
                                                 c.live.begin())));
      return blocks.size();
    };
    BlockWeights weights(newest_block(c) + 1);
    for (std::size_t i = 0; i < c.live.size(); ++i)
      weights[block_of(c, i)].push_back(scores[i]);
    const auto worth = [&](const Tokens& kept) {
      double sum = 0;
      for (std::size_t i = 0; i < c.live.size(); ++i)
        if (std::binary_search(kept.begin(), kept.end(), c.live[i])) sum += scores[i];
      return sum;
    };
    std::size_t before = c.live.size();
    for (const double price : {0.0, 0.5, 2.0, 10.0}) {
      const Tokens kept = c.keep(*policy("two_price", {{"block_price", price}})).at(0);
      CHECK(kept.size() <= c.options.budget);
      CHECK(blocks_of(kept) <= before);
      before = blocks_of(kept);
      if (price == 0)
        CHECK(worth(kept) ==
              Approx(worth(plain_choice(c.live, scores, c.length, {}, c.options.budget))));
    }
    const std::int64_t most = 1 + random.below(4);
    const Tokens capped = c.keep(*policy("two_price", {{"blocks", most}})).at(0);
    CHECK(blocks_of(capped) <= static_cast<std::size_t>(most));
    CHECK(worth(capped) <=
          most_weight_of_tokens(weights, c.options.budget, static_cast<std::uint32_t>(most)) +
              1e-9);
    const Tokens filled = c.keep(*policy("two_price", {{"blocks", most}, {"fill", true}})).at(0);
    CHECK(blocks_of(filled) == blocks_of(capped));
    CHECK(filled.size() >= capped.size());
  }
}

TEST_CASE("swap and two_price keep a block of the newest tokens, less where the budget is small") {
  PolicyContext context;
  context.block_size = 16;
  for (const std::string name : {"swap", "two_price"}) {
    INFO(name);
    const auto by_default = make_policy(name, {}, context);
    CHECK(by_default->protection(100) == Protection{0, 16});
    CHECK(by_default->protection(16) == Protection{0, 15});
    CHECK(make_policy(name, {{"recent", std::int64_t{0}}}, context)->protection(100) ==
          Protection{});
    // Few queries have seen the newest tokens, so that by what was paid to them all would go.
    Case c;
    c.length = 96;
    c.options.budget = 32;
    const Tokens kept = c.keep(*make_policy(name, {{"memory", std::string("sum")}}, context)).at(0);
    for (std::uint32_t token = 80; token < 96; ++token)
      CHECK(std::binary_search(kept.begin(), kept.end(), token));
  }
}

TEST_CASE("whole_blocks takes a number of tokens where it counts some") {
  const std::map<std::string, ParameterValue> three = {{"top_tokens", std::int64_t{3}}};
  CHECK_NOTHROW(make_policy("whole_blocks", three));
  std::map<std::string, ParameterValue> by_sum = three;
  by_sum["aggregate"] = std::string("sum");
  CHECK_THROWS_AS(make_policy("whole_blocks", by_sum), UserError);
}

TEST_CASE("two_price takes a price or a number of blocks") {
  CHECK_THROWS_AS(make_policy("two_price", {{"blocks", std::int64_t{3}}, {"block_price", 0.7}}),
                  UserError);
}

TEST_CASE("an oracle scores by the queries to come, as far as they go") {
  const AttentionShape shape{1, 2, 1, 8};
  const FakeAttention attention(shape, 50);
  const auto received = [&](std::uint32_t length, std::uint32_t first, std::uint32_t last) {
    std::vector<double> sums(length);
    for (std::uint32_t query = first; query < last; ++query)
      for (std::uint32_t q = 0; q < 2; ++q)
        for (std::uint32_t token = 0; token < std::min(length, query + 1); ++token)
          sums[token] += weights_of(attention, 0, q, query)[token];
    return sums;
  };
  AttentionMemory memory(shape, {MemoryKind::future, 128, 8});
  struct Row {
    std::uint32_t length, first, last;
  };
  for (const Row& row : {Row{20, 20, 28}, Row{45, 45, 50}, Row{50, 49, 50}}) {
    memory.look_ahead(50);
    memory.advance(attention, row.length);
    std::vector<double> scores(row.length);
    memory.add_scores(0, 0, first_tokens(row.length), scores);
    const auto expected = received(row.length, row.first, row.last);
    for (std::size_t i = 0; i < scores.size(); ++i)
      CHECK(scores[i] == Approx(expected[i]).epsilon(1e-12));
  }
}
