// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <optional>

#include "sim/eviction/evictor.hpp"
#include "sim/units/error.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

const CacheLayout one_set(1, 1, TableKind::shared, Scope::model);

EvictorOptions options_of(std::uint32_t budget, std::uint32_t interval, TriggerKind trigger,
                          PromptRule prompt = PromptRule::evictable) {
  EvictorOptions options;
  options.budget = budget;
  options.interval = interval;
  options.trigger = trigger;
  options.prompt = prompt;
  return options;
}

/// Decodes token by token and tells the live length at which the first `rounds` rounds fired.
Tokens rounds_at(const EvictorOptions& options, std::uint32_t prompt, std::size_t rounds,
                 const char* policy_name = "random") {
  const auto policy = make_policy(policy_name);
  const Evictor evictor(*policy, options, one_set, 16);
  Tokens fired;
  std::uint32_t live = prompt;
  for (std::uint32_t position = prompt; fired.size() < rounds && position < 50000; ++position) {
    Growth growth;
    growth.position_before = position;
    growth.position_after = position + 1;
    growth.prompt_tokens = prompt;
    growth.live = ++live;
    if (evictor.length_due(growth)) {
      fired.push_back(live);
      live = evictor.keep_count(prompt);
    }
  }
  return fired;
}

}  // namespace

// TensorRT-LLM, published R-6: at decode length (budget // beta + 1)·beta.
TEST_CASE("interval: the first round comes at the first multiple of beta above the budget") {
  const auto outside = PromptRule::pinned_outside;
  CHECK(rounds_at(options_of(2048, 128, TriggerKind::interval, outside), 500, 2) ==
        Tokens{500 + 2176, 500 + 2176});
  CHECK(rounds_at(options_of(2048, 2048, TriggerKind::interval, outside), 7, 1) ==
        Tokens{7 + 4096});
  CHECK(rounds_at(options_of(1000, 128, TriggerKind::interval, outside), 0, 2) ==
        Tokens{1024, 1000 + 128});
}

TEST_CASE("interval: several crossings in one append are one round, a prefill is none") {
  const auto policy = make_policy("random");
  const Evictor evictor(*policy, options_of(64, 16, TriggerKind::interval), one_set, 16);
  Growth growth;
  growth.prompt_tokens = 500;
  growth.live = growth.position_after = 500;
  CHECK_FALSE(evictor.length_due(growth));  // nothing generated yet
  growth.position_before = 500;
  growth.position_after = 540;
  CHECK(evictor.length_due(growth));
  growth.position_before = 540;
  growth.position_after = 543;
  CHECK_FALSE(evictor.length_due(growth));
}

// VaSE, R-KV and Random Attention look at each step's length modulo beta.
TEST_CASE("aligned: a round at multiples of beta, not at those that a prompt passes") {
  const auto policy = make_policy("random");
  const Evictor evictor(*policy, options_of(100, 64, TriggerKind::aligned), one_set, 16);
  const auto due = [&](std::uint32_t before, std::uint32_t after) {
    return evictor.length_due({before, after, 500, after, false});
  };
  CHECK_FALSE(due(0, 500));
  CHECK_FALSE(due(300, 500));  // the last chunk
  CHECK_FALSE(due(500, 501));
  CHECK(due(511, 512));
  CHECK(due(510, 514));  // several tokens a step
  CHECK_FALSE(due(512, 513));
  CHECK(due(0, 600));  // computed anew after a preemption: the round that it had comes again
  CHECK(evictor.length_due({0, 512, 512, 512, false}));
  CHECK_FALSE(evictor.length_due({63, 64, 10, 64, false}));  // below the budget
}

TEST_CASE("slack: a round at budget + beta; the prompt counts unless it lies outside") {
  const auto slack = TriggerKind::slack;
  CHECK(rounds_at(options_of(3072, 128, slack), 0, 2) == Tokens{3200, 3200});  // M-16
  CHECK(rounds_at(options_of(2048, 128, slack, PromptRule::pinned_inside), 100, 2) ==
        Tokens{2176, 2176});
  CHECK(rounds_at(options_of(2048, 128, slack, PromptRule::pinned_outside), 100, 2) ==
        Tokens{2276, 2276});  // M-4: the peak is budget + interval + prompt
}

TEST_CASE("a sequence without more than it may keep is not evicted from") {
  const auto policy = make_policy("random");
  const Evictor outside(*policy, options_of(64, 0, TriggerKind::slack, PromptRule::pinned_outside),
                        one_set, 16);
  CHECK(outside.keep_count(100) == 164);
  CHECK_FALSE(outside.can_evict(164, 100));
  CHECK(outside.can_evict(165, 100));

  const auto full = make_policy("full");
  const Evictor never(*full, options_of(64, 16, TriggerKind::slack), one_set, 16);
  CHECK_FALSE(never.can_evict(1u << 30, 0));
  CHECK(rounds_at(options_of(64, 16, TriggerKind::interval), 0, 1, "full").empty());
}

TEST_CASE("once: at a length, at the end of the prompt, at the end of the sequence") {
  const auto policy = make_policy("random");
  auto options = options_of(8, 0, TriggerKind::once);
  const auto due = [&](std::uint32_t before, std::uint32_t after, bool ended) {
    Growth growth;
    growth.position_before = before;
    growth.position_after = growth.live = after;
    growth.prompt_tokens = 40;
    growth.ended = ended;
    return Evictor(*policy, options, one_set, 16).length_due(growth);
  };
  options.once = OnceAt::length;
  options.once_length = 50;
  CHECK(due(40, 50, false));
  CHECK(due(49, 60, false));
  CHECK_FALSE(due(50, 51, false));
  options.once = OnceAt::prompt_end;
  CHECK(due(0, 40, false));
  CHECK(due(32, 40, false));  // the last chunk of a chunked prefill
  CHECK_FALSE(due(0, 32, false));
  CHECK_FALSE(due(40, 41, false));
  options.once = OnceAt::sequence_end;
  CHECK(due(59, 60, true));
  CHECK_FALSE(due(59, 60, false));
}

TEST_CASE("pressure triggers are left to the run") {
  const auto policy = make_policy("random");
  for (const auto trigger : {TriggerKind::usage, TriggerKind::allocation_failure}) {
    const Evictor evictor(*policy, options_of(8, 4, trigger), one_set, 16);
    Growth growth;
    growth.position_after = growth.live = 1000;
    CHECK_FALSE(evictor.length_due(growth));
    CHECK(evictor.can_evict(1000, 0));
  }
}

// The public code keeps the first `budget` positions then, losing the prompt's tail.
TEST_CASE("E-30, E-34: a pinned prompt that fills the budget makes the round a no-op") {
  const auto policy = make_policy("random");
  Case c;
  c.options.budget = 32;
  c.options.prompt = PromptRule::pinned_inside;
  c.prompt = 32;
  CHECK(c.keep(*policy).empty());
  c.prompt = 31;
  REQUIRE(c.keep(*policy).size() == 1);
  CHECK(c.keep(*policy)[0].size() == 32);
  c.options.protect.recent = 1;
  CHECK(c.keep(*policy).empty());
  c.options.prompt = PromptRule::evictable;
  CHECK(c.keep(*policy)[0].size() == 32);
  c.options.prompt = PromptRule::pinned_outside;
  CHECK(c.keep(*policy)[0].size() == 63);
}

TEST_CASE("sinks inside a pinned prompt are counted once") {
  const auto policy = make_policy("streaming_llm");
  Case c;
  c.options.budget = 16;
  c.options.prompt = PromptRule::pinned_inside;
  c.prompt = 15;
  const auto kept = c.keep(*policy);
  REQUIRE(kept.size() == 1);
  Tokens expected = first_tokens(15);
  expected.push_back(63);
  CHECK(kept[0] == expected);
}

// TriAttention's reference: the trigger leaves the prompt out, the budget does not.
TEST_CASE("E-29: a trigger that leaves the prompt out comes late and cuts deep") {
  const auto policy = make_policy("streaming_llm");
  const CacheLayout layout(1, 1, TableKind::shared, Scope::model);
  for (const TriggerKind trigger : {TriggerKind::slack, TriggerKind::aligned}) {
    INFO(enum_name(trigger));
    EvictorOptions options = options_of(64, 16, trigger);
    options.prompt = PromptRule::pinned_inside;
    const auto first_round = [&](bool count_prompt) {
      options.count_prompt = count_prompt;
      const Evictor evictor(*policy, options, layout, 16);
      for (std::uint32_t length = 41;; ++length)
        if (evictor.length_due({length - 1, length, 40, length, false})) return length;
    };
    const bool slack = trigger == TriggerKind::slack;
    CHECK(first_round(true) == (slack ? 64 + 16 : 64));
    CHECK(first_round(false) == (slack ? 40 + 64 + 16 : 112));  // 112: first multiple from 104 on
    // Either way 64 tokens stay, the prompt among them: 24 of the output, of 40 or of 80.
    Case c;
    c.options = options;
    c.prompt = 40;
    c.length = first_round(false);
    const Tokens kept = c.keep(*policy).at(0);
    CHECK(kept.size() == 64);
    CHECK(kept[39] == 39);
    CHECK(kept[40] == c.length - 24);
  }
}

// One public re-implementation returns the last `budget` tokens then, losing the sinks.
TEST_CASE("E-04: protection that fills the budget is the user's error") {
  const auto streaming = make_policy("streaming_llm");
  auto options = options_of(5, 0, TriggerKind::slack);
  CHECK_NOTHROW(check_protection(options, *streaming, "eviction.streaming_llm"));
  options.budget = 4;
  CHECK_THROWS_AS(check_protection(options, *streaming, "eviction.streaming_llm"), UserError);
  options.budget = 132;
  options.protect = {2, 128};  // joined by the larger value: 4 sinks
  CHECK_THROWS_WITH(check_protection(options, *streaming, "eviction.streaming_llm"),
                    Catch::Contains("eviction.budget is 132") && Catch::Contains("4 first tokens"));
  options.budget = 133;
  CHECK_NOTHROW(check_protection(options, *streaming, "eviction.streaming_llm"));
  CHECK_NOTHROW(check_protection(options_of(0, 0, TriggerKind::once), *make_policy("keep_list"),
                                 "eviction.keep_list"));

  // Half of a larger budget would be enough, all of it never.
  const auto share = [](double recent) { return make_policy("h2o", {{"recent_share", recent}}); };
  options = options_of(8, 0, TriggerKind::slack);
  options.protect = {4, 0};
  CHECK_THROWS_WITH(check_protection(options, *share(0.5), "eviction.h2o"),
                    Catch::Contains("Raise the budget"));
  CHECK_THROWS_WITH(
      check_protection(options, *share(1), "eviction.h2o"),
      Catch::Contains("No budget is large enough") && Catch::Contains("eviction.h2o"));

  // The one that dropped them: 4 sinks, 10 recent tokens.
  const auto scissorhands = make_policy("scissorhands");
  options = options_of(14, 0, TriggerKind::slack);
  CHECK_THROWS_AS(check_protection(options, *scissorhands, "eviction.scissorhands"), UserError);
  options.budget = 15;
  CHECK_NOTHROW(check_protection(options, *scissorhands, "eviction.scissorhands"));
}

TEST_CASE("where whole blocks are kept, any policy's scores choose blocks") {
  const auto streaming = make_policy("streaming_llm");
  Case c;
  c.options.budget = 33;  // 3 blocks: the sinks', the newest, the one before it
  c.options.whole_blocks = BlockAggregate::sum;
  Tokens expected = first_tokens(16);
  for (std::uint32_t i = 32; i < 64; ++i)
    expected.push_back(i);
  CHECK(c.keep(*streaming).at(0) == expected);

  const auto list = make_policy("keep_list", {{"tokens", std::string("3-5,20")}});
  c.options.budget = 0;
  expected = first_tokens(0);
  for (std::uint32_t i = 48; i < 64; ++i)
    expected.push_back(i);
  CHECK(c.keep(*list).at(0) == expected);  // four tokens are worth one block: the newest
}
