// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <numeric>

#include "sim/eviction/policies/rocketkv.hpp"
#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Spec policies §3.9, stage 2, one token after the other: the `attended` tokens of largest
/// promise, a token's being what its chunk's bounds promise the query heads of its KV head
/// together.
Tokens plain_read(const Case& c, std::uint32_t layer, std::uint32_t kv_head, std::uint32_t query,
                  const RocketShares& shares) {
  const std::uint32_t group = c.shape.group(), dim = c.shape.head_dim;
  std::vector<double> sum(dim), size(dim);
  for (std::uint32_t q = kv_head * group; q < (kv_head + 1) * group; ++q)
    for (std::uint32_t channel = 0; channel < dim; ++channel) {
      const double x = query_of(*c.attention, layer, q, query)[channel];
      sum[channel] += x;
      size[channel] += std::abs(x);
    }
  const auto strong = [&](std::uint32_t channel) {
    std::size_t stronger = 0;
    for (std::uint32_t other = 0; other < dim; ++other)
      stronger += size[other] > size[channel] || (size[other] == size[channel] && other < channel);
    return stronger < shares.channels;
  };
  std::vector<double> promise(c.live.size());
  for (std::uint32_t q = kv_head * group; q < (kv_head + 1) * group; ++q) {
    const auto vector = query_of(*c.attention, layer, q, query);
    double chosen = 0, all = 0;
    for (std::uint32_t channel = 0; channel < dim; ++channel) {
      all += std::abs(vector[channel]);
      if (strong(channel)) chosen += std::abs(vector[channel]);
    }
    std::vector<double> weights;
    for (std::size_t i = 0; i < c.live.size(); ++i) {
      double logit = 0;
      for (std::uint32_t channel = 0; channel < dim; ++channel) {
        if (!strong(channel)) continue;
        const std::size_t first = i / shares.chunk * shares.chunk;
        double least = 1e300, most = -1e300;
        for (std::size_t j = first; j < std::min(first + shares.chunk, c.live.size()); ++j) {
          const double k = key_of(*c.attention, layer, kv_head, c.live[j])[channel];
          least = std::min(least, k);
          most = std::max(most, k);
        }
        logit += vector[channel] * (sum[channel] > 0 ? most : least);
      }
      weights.push_back(std::exp(logit / std::sqrt(dim * chosen / all)));
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < promise.size(); ++i)
      promise[i] += weights[i] / total;
  }
  // Within a chunk all tokens are promised the same, up to rounding of the reference.
  for (std::size_t i = 0; i < promise.size(); ++i)
    promise[i] = promise[i / shares.chunk * shares.chunk];
  return plain_choice(c.live, promise, c.length, {},
                      std::min<std::size_t>(shares.attended, c.live.size()));
}

std::unique_ptr<EvictionPolicy> two_stages(std::uint32_t max_length, std::uint32_t budget) {
  PolicyContext context;
  context.budget = budget;
  return make_policy("rocketkv", {{"second_stage", true}, {"max_length", std::int64_t{max_length}}},
                     context);
}

}  // namespace

// Spec policies §3.9, derived from the public code; head dimension 128.
TEST_CASE("rocketkv: the published arithmetic") {
  const RocketShares short_one = rocket_shares(32768, 1024, 128);
  CHECK(short_one.capacity == 5792);
  CHECK(short_one.chunk == 3);
  CHECK(short_one.channels == 68);
  CHECK(short_one.attended == 512);
  const RocketShares long_one = rocket_shares(131072, 1024, 128);
  CHECK(long_one.capacity == 6472);
  CHECK(long_one.chunk == 3);
  CHECK(long_one.channels == 61);
  CHECK(rocket_shares(1000, 5000, 64).capacity == 1000);  // the budget is clipped to the length
  CHECK(rocket_shares(1000, 1000, 64).chunk == 1);
}

TEST_CASE("E-12: rocketkv keeps its capacity, not its budget") {
  const auto policy = make_policy("rocketkv");
  CHECK(policy->capacity(1024) == 5792);  // 5.66 times the budget
  EvictorOptions options;
  options.budget = 1024;
  const Evictor evictor(*policy, options, CacheLayout(1, 1, TableKind::shared, Scope::model), 16);
  CHECK(evictor.keep_count(0) == 5792);
  CHECK_FALSE(evictor.can_evict(5792, 0));
  // Room for the output comes out of the capacity, and never beyond the longest sequence.
  CHECK(make_policy("rocketkv", {{"new_tokens", std::int64_t{200}}})->capacity(1024) == 5592);
  CHECK(make_policy("rocketkv",
                    {{"max_length", std::int64_t{500}}, {"new_tokens", std::int64_t{100}}})
            ->capacity(1024) == 400);
}

TEST_CASE("rocketkv: a plain reading of the rule keeps the same tokens") {
  // max_length 40: with a budget of 10 the capacity is 40 / 4^0.32 = 25.
  const auto policy = make_policy(
      "rocketkv",
      {{"window", std::int64_t{3}}, {"kernel", std::int64_t{5}}, {"max_length", std::int64_t{40}}});
  REQUIRE(policy->capacity(10) == 25);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FakeAttention attention({2, 4, 2, 0}, 60, seed);
    Case c;
    c.shape = attention.shape();
    c.scope = Scope::per_layer_per_head;
    c.length = 60;
    c.live = tokens_with_holes(60);
    c.attention = &attention;
    c.options.budget = 10;
    const auto kept = c.keep(*policy);
    const CacheLayout layout(2, 2, TableKind::shared, c.scope);
    REQUIRE(kept.size() == 4);
    for (std::uint32_t set = 0; set < 4; ++set)
      CHECK(kept[set] == plain_choice(c.live,
                                      plain_window_scores(c, layout.heads(set), c.live, 3, 5, true),
                                      60, {0, 3}, 25));
  }
}

TEST_CASE("rocketkv: a note says what its budget becomes") {
  std::string said;
  PolicyContext context;
  context.head_dim = 128;
  context.budget = 1024;
  context.note = [&](std::string note) { said = std::move(note); };
  make_policy("rocketkv", {}, context);
  CHECK(said ==
        "RocketKV keeps 5,792 tokens a set for a budget of 1,024: memory follows its capacity of "
        "5,792. Its second stage would attend to 512 of them a step, chosen in chunks of 3 by 68 "
        "channels.");
}

TEST_CASE("rocketkv: the second stage reads what a plain reading of the rule gives it") {
  Random random(5);
  std::uint32_t passed = 0;
  for (int i = 0; i < 30; ++i) {
    const std::uint32_t group = 1 + random.below(2), kv_heads = 1 + random.below(2);
    const FakeAttention attention({2, group * kv_heads, kv_heads, 8}, 80, random.below(100));
    Case c;
    c.shape = attention.shape();
    c.length = 80;
    c.live = random.one_in(2) ? first_tokens(80) : tokens_with_holes(80);
    c.attention = &attention;
    const std::uint32_t max_length = 60 + random.below(400), budget = 2 + random.below(30);
    const RocketShares shares = rocket_shares(max_length, budget, 8);
    const CacheLayout layout(2, kv_heads, TableKind::shared, Scope::model);
    EvictionRound round;
    round.next_position = c.length;
    round.layout = &layout;
    round.live = round.slots = c.live;
    round.attention = &attention;
    const auto policy = two_stages(max_length, budget);
    for (std::uint32_t layer = 0; layer < 2; ++layer)
      for (std::uint32_t q = 0; q < c.shape.query_heads; ++q) {
        const auto reader = policy->open_reader(round, layer, q / group);
        REQUIRE(reader != nullptr);
        for (const std::uint32_t query : {79u, 40u, 79u}) {
          std::vector<std::uint8_t> read(c.length + 3, 1);  // three newer tokens
          reader->pass_over(q, query, read);
          Tokens kept;
          for (const std::uint32_t token : c.live)
            if (read[token] != 0) kept.push_back(token);
          INFO("round " << i << ", chunks of " << shares.chunk << ", channels " << shares.channels);
          CHECK(kept == plain_read(c, layer, q / group, query, shares));
          CHECK(std::count(read.end() - 3, read.end(), 1) == 3);
          passed += kept.size() < c.live.size() && shares.chunk > 1 && shares.channels < 8;
        }
      }
  }
  CHECK(passed > 20);
}

TEST_CASE("rocketkv: the second stage evicts nothing, asks for keys, and must know the budget") {
  const auto one = make_policy("rocketkv"), two = two_stages(400, 20);
  CHECK_FALSE(one->needs().features.keys);
  CHECK(two->needs().features.keys);
  CHECK(two->needs().features.queries);
  CHECK(one->open_reader({}, 0, 0) == nullptr);
  CHECK_THROWS_WITH(make_policy("rocketkv", {{"second_stage", true}}),
                    Catch::Contains("eviction.budget"));
  Case c;
  c.shape = {2, 4, 2, 8};
  c.length = 200;
  c.scope = Scope::per_layer_per_head;
  c.options.budget = 20;
  const auto staged = make_policy("rocketkv", {{"max_length", std::int64_t{400}}});
  CHECK(c.keep(*two) == c.keep(*staged));
}
