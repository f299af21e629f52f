// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/units/error.hpp"
#include "tests/support/eviction_round.hpp"
#include "tests/support/given_shares.hpp"

// What KeepRule::ragged promises.

using namespace vacancy;
using namespace vacancy::test;

namespace {

const CacheLayout three_layers(3, 1, TableKind::shared, Scope::per_layer);

/// Decides on given live sets, all of which are shown in one buffer that the next set overwrites.
std::vector<Tokens> decide(const GivenShares& policy, const EvictorOptions& options,
                           const std::vector<Tokens>& sets, std::uint32_t next,
                           std::uint32_t in_flight = 0, std::uint32_t prompt = 0) {
  Evictor evictor(policy, options, three_layers, 16);
  EvictionRequest request;
  request.next_position = next;
  request.in_flight = in_flight;
  request.prompt_tokens = prompt;
  KeepSets out;
  Tokens buffer, slots;
  const auto lister = [&](std::uint32_t set) {
    buffer.assign(100, 0xffffffff);
    buffer = sets.at(set);
    slots = first_tokens(static_cast<std::uint32_t>(buffer.size()));
    return LiveTokens{buffer, slots};
  };
  std::vector<Tokens> kept;
  if (!evictor.decide(request, lister, out)) return kept;
  for (std::uint32_t set = 0; set < 3; ++set)
    kept.push_back(kept_tokens(sets[set], out.mask(set)));
  return kept;
}

Tokens best(std::uint32_t set, Tokens live, std::size_t keep) {
  std::sort(live.begin(), live.end(), [&](std::uint32_t a, std::uint32_t b) {
    return GivenShares::score_of(set, a) > GivenShares::score_of(set, b);
  });
  live.resize(keep);
  std::sort(live.begin(), live.end());
  return live;
}

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

EvictorOptions budget_of(std::uint32_t budget) {
  EvictorOptions options;
  options.budget = budget;
  return options;
}

}  // namespace

TEST_CASE("ragged: every set keeps its own share, and sees all others before") {
  const GivenShares policy({30, 10, 20});
  const std::vector<Tokens> sets{first_tokens(40), tokens_with_holes(40), first_tokens(40)};
  const auto kept = decide(policy, budget_of(20), sets, 40);
  REQUIRE(kept.size() == 3);
  for (std::uint32_t set = 0; set < 3; ++set) {
    CHECK(kept[set] == best(set, sets[set], std::vector<std::size_t>{30, 10, 20}[set]));
    CHECK(policy.asked.at(set).live == sets[set]);
    CHECK(policy.asked.at(set).keep == 20);
  }
}

TEST_CASE("ragged: a set never keeps more than it has nor less than is guarded") {
  const GivenShares policy({1000, 0, 3});
  auto options = budget_of(20);
  options.protect = {2, 3};
  const std::vector<Tokens> sets{first_tokens(40), first_tokens(40), {0, 1, 2, 38, 39}};
  const auto kept = decide(policy, options, sets, 40);
  REQUIRE(kept.size() == 3);
  CHECK(kept[0] == sets[0]);
  CHECK(kept[1] == Tokens{0, 1, 37, 38, 39});
  CHECK(kept[2] == Tokens{0, 1, 38, 39});  // 4 are guarded, though the share is 3
}

TEST_CASE("ragged: a round is skipped where equal budgets leave nothing to choose") {
  const GivenShares policy({30, 30, 30});
  auto options = budget_of(20);
  options.prompt = PromptRule::pinned_inside;
  const std::vector<Tokens> sets(3, first_tokens(40));
  CHECK(decide(policy, options, sets, 40, 0, 20).empty());
  CHECK(decide(policy, options, sets, 40, 0, 19).size() == 3);
  // A set that is short anyway skips nothing.
  CHECK(decide(policy, options, std::vector<Tokens>(3, first_tokens(20)), 20, 0, 20).size() == 3);
}

TEST_CASE("ragged: tokens in flight stay beside the share, and the policy sees none of them") {
  const GivenShares policy({5, 8, 100});
  const std::vector<Tokens> sets(3, first_tokens(40));
  const auto kept = decide(policy, budget_of(20), sets, 40, 2);
  REQUIRE(kept.size() == 3);
  CHECK(kept[0] == joined(best(0, first_tokens(38), 5), {38, 39}));
  CHECK(kept[1] == joined(best(1, first_tokens(38), 8), {38, 39}));
  CHECK(kept[2] == first_tokens(40));
  CHECK(policy.asked.at(0).keep == 18);  // inside the budget
}

TEST_CASE("ragged: triggers speak of growth, not of the set that stays above the budget") {
  const GivenShares policy({1});
  auto options = budget_of(100);
  options.interval = 8;
  for (const auto trigger : {TriggerKind::slack, TriggerKind::aligned, TriggerKind::interval}) {
    options.trigger = trigger;
    INFO(enum_name(trigger));
    const Evictor evictor(policy, options, three_layers, 16);
    CHECK(evictor.length(500, 0, std::nullopt) == 500);  // no round yet
    CHECK(evictor.length(500, 0, 3u) == 103);
    CHECK(evictor.length(50, 0, 3u) == 50);  // no set has more
    const auto due = [&](std::uint32_t grown) {
      return evictor.length_due({400 + grown - 1, 400 + grown, 0, evictor.length(500, 0, grown)});
    };
    for (std::uint32_t grown = 1; grown < 8; ++grown)
      CHECK_FALSE(due(grown));
    CHECK(due(8));
    CHECK_FALSE(evictor.can_evict(evictor.length(500, 0, 0u), 0));
    CHECK(evictor.can_evict(evictor.length(500, 0, 1u), 0));
  }
  // A prompt outside the budget is outside of the growth as well.
  options.trigger = TriggerKind::slack;
  options.prompt = PromptRule::pinned_outside;
  const Evictor outside(policy, options, three_layers, 16);
  CHECK(outside.length(500, 70, 3u) == 173);
  CHECK_FALSE(outside.length_due({406, 407, 70, outside.length(500, 70, 7u)}));
  CHECK(outside.length_due({407, 408, 70, outside.length(500, 70, 8u)}));
}

TEST_CASE("equal budgets: triggers speak of the fullest set, rounds or not") {
  const auto policy = make_policy("random");
  const Evictor evictor(*policy, budget_of(100), three_layers, 16);
  CHECK(evictor.length(500, 0, 3u) == 500);
}

TEST_CASE("a budget that the method turns into a capacity counts as that capacity") {
  class Doubled final : public EvictionPolicy {
   public:
    std::uint32_t capacity(std::uint32_t budget) const override { return 2 * budget; }
    Protection protection(std::uint32_t capacity) const override { return {0, capacity / 4}; }
    void score(const EvictionRound& round, std::span<double> scores,
               SelectionScratch&) const override {
      std::copy(round.live.begin(), round.live.end(), scores.begin());
    }
  };
  const Doubled policy;
  Case c;
  c.options.budget = 10;
  CHECK(c.keep(policy).at(0).size() == 20);
  CHECK(joined_protection(c.options, policy).recent == 5);
  const Evictor evictor(policy, c.options, three_layers, 16);
  CHECK(evictor.keep_count(0) == 20);
  CHECK_FALSE(evictor.can_evict(20, 0));
  CHECK(evictor.can_evict(21, 0));
  c.options.protect.sinks = 15;
  CHECK_THROWS_WITH(check_protection(c.options, policy, "eviction.doubled"),
                    Catch::Contains("eviction.budget is 10 tokens, of which the method makes 20"));
  c.options.protect.sinks = 14;
  CHECK_NOTHROW(check_protection(c.options, policy, "eviction.doubled"));
}
