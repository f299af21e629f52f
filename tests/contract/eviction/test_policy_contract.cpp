// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"
#include "tests/support/counting_attention.hpp"
#include "tests/support/eviction_round.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/made_filters.hpp"

// What policy.hpp promises, held against every registered policy, nearly all with default
// parameters.

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t length = 160;
constexpr Scope all_scopes[] = {Scope::model, Scope::per_layer, Scope::per_head,
                                Scope::per_layer_per_head};

AttentionShape shape_of(std::uint32_t layers) {
  return {layers, 4, 2, 8};
}

/// Smaller protections where the defaults are of caches of many hundred tokens.
std::map<std::string, ParameterValue> small_parameters(const std::string& policy) {
  if (policy == "head_pruning") return {{"gates", std::string("made.gates")}};
  if (policy == "q_filter") return {{"filters", std::string("made.filters")}};
  if (policy == "lazy_eviction") return {{"window", std::int64_t{16}}};
  if (policy == "openvino") return {{"start", std::int64_t{16}}, {"recent", std::int64_t{16}}};
  if (policy == "fastv") return {{"image_tokens", std::int64_t{100}}, {"layer", std::int64_t{1}}};
  return {};
}

/// A policy with its defaults, or in a mode that has a rule of its own.
struct Method {
  const PolicyEntry* entry;
  std::map<std::string, ParameterValue> mode;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> list;
    for (const PolicyEntry& entry : policies())
      list.push_back({&entry, {}});
    list.push_back({find_policy("openvino"), {{"crush", std::int64_t{3}}}});
    list.push_back({find_policy("openvino"), {{"aggregation", std::string("adaptive_r_kv")}}});
    list.push_back({find_policy("triattention"), {{"calibration", std::monostate()}}});
    return list;
  }();
  return all;
}

std::unique_ptr<EvictionPolicy> policy_of(const Method& method, std::uint32_t layers) {
  PolicyContext context;
  context.seed = 77;
  context.layers = layers;
  context.query_heads = 4;
  context.kv_heads = 2;
  context.head_dim = 8;
  context.rope_theta = 10000;
  context.resolve_path = [layers](const std::string& path) {  // whatever file a policy reads
    static const TemporaryFile one("one_layer", made_calibration(1, 4, 2, 8));
    static const TemporaryFile three("three_layers", made_calibration(3, 4, 2, 8));
    const auto text = [](const std::string& lines) {
      return std::vector<char>(lines.begin(), lines.end());
    };
    static const TemporaryFile gate("one_gate", text("0.2 0.9\n"));
    static const TemporaryFile gates("three_gates", text("0.2 0.9\n1 0\n0.3 0.4\n"));
    static const TemporaryFile filter("one_filter", made_filters(1 * 2, 8));
    static const TemporaryFile filters("three_filters", made_filters(3 * 2, 8));
    if (path.ends_with(".gates")) return layers == 1 ? gate.path() : gates.path();
    if (path.ends_with(".filters")) return layers == 1 ? filter.path() : filters.path();
    return layers == 1 ? one.path() : three.path();
  };
  context.block_size = 16;
  context.budget = 48;
  auto parameters = small_parameters(method.entry->info.name);
  parameters.insert(method.mode.begin(), method.mode.end());
  return make_policy(method.entry->info.name, parameters, context);
}

/// The set's round as the evictor shows it, with the equal budget.
EvictionRound round_of(const Case& c, const CacheLayout& layout, const EvictionPolicy& policy,
                       std::uint32_t set, std::span<const std::uint64_t> guarded) {
  EvictionRound round;
  round.sequence = SequenceId(3);
  round.next_position = length;
  round.block_size = c.block_size;
  round.layout = &layout;
  round.set = set;
  round.live = round.slots = c.live;
  round.keep = has_budget(policy.keep_rule()) ? policy.capacity(c.options.budget)
                                              : static_cast<std::uint32_t>(c.live.size());
  round.guarded = guarded;
  round.attention = c.attention;
  round.state = c.state;
  return round;
}

/// Runs `check(method, policy, case)` for every method, scope, number of layers, kind of live set
/// and budget that is not contradictory.
template <class Check>
void for_all(Check&& check) {
  for (const std::uint32_t layers : {1u, 3u}) {
    const FakeAttention attention(shape_of(layers), length);
    for (const Method& method : methods()) {
      const std::string& name = method.entry->info.name;
      const auto state = policy_of(method, layers)->open_state(attention.shape(), 0);
      if (state) state->advance(attention, length);
      for (const bool holes : {false, true}) {
        Case c;
        c.shape = shape_of(layers);
        c.length = length;
        c.attention = &attention;
        c.state = state.get();
        c.live = holes ? tokens_with_holes(length) : first_tokens(length);
        c.options.prompt = PromptRule::pinned_inside;
        const auto live = static_cast<std::uint32_t>(c.live.size());
        for (const std::uint32_t budget : {1u, 2u, 40u, 70u, live - 1}) {
          const auto policy = policy_of(method, layers);
          c.options.budget = budget;
          try {
            check_protection(c.options, *policy, "eviction." + name);
          } catch (const UserError&) {
            CHECK(budget < 70);  // defaults leave room from a few dozen tokens on
            continue;
          }
          for (const Scope scope : all_scopes) {
            c.scope = scope;
            INFO(name << (method.mode.empty() ? "" : " with " + method.mode.begin()->first) << ", "
                      << enum_name(scope) << ", " << layers << " layers, "
                      << (holes ? "holes" : "no holes") << ", budget " << budget);
            check(method, *policy, c);
          }
        }
      }
    }
  }
}

bool contains(const Tokens& sorted, std::uint32_t token) {
  return std::binary_search(sorted.begin(), sorted.end(), token);
}

}  // namespace

TEST_CASE("policies have the names that scenarios rely on") {
  for (const char* const name : {"full",           "random",
                                 "streaming_llm",  "h2o",
                                 "scissorhands",   "snapkv",
                                 "pyramidkv",      "ada_kv",
                                 "quest",          "kvzip",
                                 "rocketkv",       "fastv",
                                 "r_kv",           "tova",
                                 "knorm",          "keydiff",
                                 "lagkv",          "expected_attention",
                                 "chunkkv",        "vase",
                                 "lazy_eviction",  "triattention",
                                 "paged_eviction", "kv_compress",
                                 "zipage",         "openvino",
                                 "block_h2o",      "whole_blocks",
                                 "swap",           "two_price",
                                 "sliding_window", "rolling_buffer",
                                 "head_pruning",   "token_gating",
                                 "keep_list",      "critical_kv"}) {
    INFO(name);
    CHECK(find_policy(name) != nullptr);
  }
}

TEST_CASE("whoever scores by queries to come asks for as many") {
  std::size_t oracles = 0;
  for (const PolicyEntry& entry : policies()) {
    INFO(entry.info.name);
    const auto& parameters = entry.info.parameters;
    if (std::ranges::find(parameters, "memory", &Parameter::name) == parameters.end()) continue;
    const auto oracle = make_policy(
        entry.info.name, {{"memory", std::string("future")}, {"memory_window", std::int64_t{9}}});
    CHECK(oracle->needs().queries_ahead == 9);
    CHECK(make_policy(entry.info.name)->needs().queries_ahead == 0);
    ++oracles;
  }
  CHECK(oracles >= 5);
}

TEST_CASE("a policy keeps what it may, as many as it may, of every set") {
  for_all([](const Method& method, const EvictionPolicy& policy, const Case& c) {
    const auto sets = c.keep(policy);
    const CacheLayout layout(c.shape.layers, 2, TableKind::shared, c.scope);
    REQUIRE(sets.size() == layout.policy_sets());
    const std::size_t may = std::min<std::size_t>(policy.capacity(c.options.budget), c.live.size());
    std::size_t all = 0;
    for (const Tokens& kept : sets) {
      CHECK(std::is_sorted(kept.begin(), kept.end()));
      all += kept.size();
      if (policy.keep_rule() != KeepRule::budget) continue;
      switch (policy.keep_count()) {
        case KeepCount::exact:
          CHECK(kept.size() == may);
          break;
        case KeepCount::fewer:
          CHECK(kept.size() <= c.options.budget);
          CHECK_FALSE(kept.empty());
          break;
        case KeepCount::blocks:
          CHECK(kept.size() <= (policy.capacity(c.options.budget) + 15) / 16 * 16);
          // The tokens of swap's newest block may give way to better ones where it protects none.
          if (method.entry->info.name != "swap" || c.options.budget > 1)
            CHECK(kept.back() == c.live.back());
          break;
      }
    }
    // Shares of unequal size sum up to what equal ones would, up to rounding to blocks and by
    // layers.
    if (policy.keep_rule() == KeepRule::ragged) {
      CHECK(all <= sets.size() * ((may + 15) / 16 * 16 + c.shape.layers));
      CHECK(all + sets.size() * 16 >= sets.size() * may);
    }
  });
}

TEST_CASE("a policy never drops a guarded token") {
  for_all([](const Method&, const EvictionPolicy& policy, Case c) {
    c.prompt = 7;
    c.options.protect = {3, 5};
    const auto sets = c.keep(policy);
    const Protection own = joined_protection(c.options, policy);
    if (sets.empty()) {  // skipped: prompt, sinks and recent window fill the budget
      CHECK(policy.capacity(c.options.budget) <= std::max(7u, own.sinks) + own.recent);
      return;
    }
    for (const Tokens& kept : sets)
      for (const std::uint32_t token : c.live)
        if (token < std::max(7u, own.sinks) || token + own.recent >= length)
          CHECK(contains(kept, token));
  });
}

TEST_CASE("a policy is a function of the round: same input, same choice") {
  for_all([](const Method& method, const EvictionPolicy& policy, const Case& c) {
    const auto sets = c.keep(policy);
    CHECK(c.keep(policy) == sets);
    CHECK(c.keep(*policy_of(method, c.shape.layers)) == sets);
  });
}

TEST_CASE("a set's choice does not depend on which sets were chosen before it") {
  for_all([](const Method&, const EvictionPolicy& policy, const Case& c) {
    const CacheLayout layout(c.shape.layers, 2, TableKind::shared, c.scope);
    const auto live = static_cast<std::uint32_t>(c.live.size());
    const Protection protection = joined_protection(c.options, policy);
    std::vector<std::uint64_t> guarded(bits::words(live), 0);
    guard_tokens(c.live, length, 0, protection, guarded);

    const auto in_order = c.keep(policy);
    SelectionScratch scratch;  // full of another set's leavings
    std::vector<EvictionRound> rounds;
    std::vector<std::uint32_t> shares;
    for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
      rounds.push_back(round_of(c, layout, policy, set, guarded));
      shares.push_back(rounds.back().keep);
    }
    if (policy.keep_rule() == KeepRule::ragged) policy.allot(rounds, shares, scratch);
    for (const EvictionRound& round : rounds) {
      if (round.scores.empty()) continue;
      std::vector<double> scores(live);
      SelectionScratch own;
      policy.score(round, scores, own);
      CHECK(std::equal(scores.begin(), scores.end(), round.scores.begin(), round.scores.end()));
    }
    for (std::uint32_t set = layout.policy_sets(); set-- > 0;) {
      EvictionRound& round = rounds[set];
      std::vector<std::uint64_t> keep(bits::words(live), 0);
      if (shares[set] >= live && has_budget(policy.keep_rule())) {
        CHECK(in_order[set] == c.live);
        continue;
      }
      round.keep =
          std::max(shares[set], static_cast<std::uint32_t>(bits::count(std::span(guarded))));
      policy.select(round, keep, scratch);
      CHECK(kept_tokens(c.live, keep) == in_order[set]);
    }
  });
}

TEST_CASE("scores are finite wherever they count, and whole blocks can be chosen by them") {
  for_all([](const Method&, const EvictionPolicy& policy, Case c) {
    c.options.whole_blocks = BlockAggregate::mean;
    const auto sets = c.keep(policy);  // asserts that scores are numbers
    for (const Tokens& kept : sets)
      CHECK((kept.empty() || kept.back() == c.live.back()));
  });
}

TEST_CASE("a round of unequal budgets reads what it scores by once") {
  for_all([](const Method&, const EvictionPolicy& policy, Case c) {
    if (policy.keep_rule() != KeepRule::ragged) return;
    const CountingAttention counting(*c.attention);
    c.attention = &counting;
    c.keep(policy);
    CHECK(counting.most_reads() <= 1);
  });
}
