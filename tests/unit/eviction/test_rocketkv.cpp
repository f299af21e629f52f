// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/eviction/policies/rocketkv.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

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
