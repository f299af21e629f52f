// SPDX-License-Identifier: Apache-2.0
// Rounds in which every set keeps a share of its own, against a plain model: lists of tokens, one a
// set. The blocks that a table holds follow from its longest set (I4; spec policies §5.5).
#include <catch2/catch.hpp>
#include <set>

#include "sim/reclaim/registry.hpp"
#include "tests/support/given_shares.hpp"
#include "tests/support/random.hpp"
#include "tests/support/run.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using Tokens = std::vector<std::uint32_t>;

/// What each set holds, by the rule alone.
class PlainSets {
 public:
  PlainSets(std::vector<std::uint32_t> shares, std::uint32_t recent)
      : shares_(std::move(shares)), recent_(recent), sets_(shares_.size()) {}

  void append(std::uint32_t token) {
    for (Tokens& set : sets_)
      set.push_back(token);
  }
  void evict(std::uint32_t next) {
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      Tokens& tokens = sets_[set];
      const auto rank = [&](std::uint32_t token) {
        return token + recent_ >= next ? 1e30 : GivenShares::score_of(set, token);
      };
      std::stable_sort(tokens.begin(), tokens.end(),
                       [&](auto a, auto b) { return rank(a) > rank(b); });
      tokens.resize(std::min<std::size_t>(tokens.size(), std::max(shares_[set], recent_)));
      std::sort(tokens.begin(), tokens.end());
    }
  }
  const Tokens& set(std::uint32_t index) const { return sets_[index]; }

 private:
  std::vector<std::uint32_t> shares_;
  std::uint32_t recent_;
  std::vector<Tokens> sets_;
};

/// Follows a run's events with the plain model and looks at the cache after each round.
class Follower final : public Observer {
 public:
  Follower(PlainSets sets, std::string reclaim)
      : sets_(std::move(sets)), reclaim_(std::move(reclaim)) {}

  void follow(const KvCache& cache) { cache_ = &cache; }
  void on_event(const Event& event) override {
    if (const auto* appended = std::get_if<TokensAppended>(&event)) {
      for (std::uint32_t i = 0; i < appended->count; ++i)
        sets_.append(appended->first + i);
      next_ = appended->first + appended->count;
    } else if (std::holds_alternative<TokensEvicted>(event)) {
      sets_.evict(next_);
    } else if (std::holds_alternative<RoundFinished>(event)) {
      rounds.push_back(next_);
      check();
    }
  }

  std::vector<std::uint32_t> rounds;  // t at each

 private:
  void check() const {
    const CacheLayout& layout = cache_->config().layout;
    const std::uint32_t b = cache_->config().block_size;
    const CachedSequence& sequence = cache_->sequence(SequenceId(0));
    std::uint32_t expected = 0, fullest = 0;
    for (std::uint32_t t = 0; t < layout.tables(); ++t) {
      const BlockTable& table = sequence.tables[t];
      std::size_t longest = 0;
      std::set<std::uint32_t> blocks;
      std::vector<BlockTable::LiveSlot> live;
      for (std::uint32_t s = 0; s < table.sets(); ++s) {
        const Tokens& plain = sets_.set(layout.policy_set(t, s));
        table.list_live(s, live);
        Tokens tokens;
        for (const auto& [token, slot] : live) {
          tokens.push_back(token);
          blocks.insert(slot / b);
        }
        REQUIRE(tokens == plain);
        longest = std::max(longest, plain.size());
      }
      fullest = std::max(fullest, static_cast<std::uint32_t>(longest));
      if (reclaim_ == "none") {
        const bool open = table.length() % b != 0;
        blocks.insert(open ? table.length() / b : *blocks.begin());
        expected += static_cast<std::uint32_t>(blocks.size());
      } else {
        expected += (static_cast<std::uint32_t>(longest) + b - 1) / b;
      }
    }
    CHECK(cache_->pool().held() == expected);
    CHECK(sequence.live == fullest);
    cache_->check_invariants();
  }

  PlainSets sets_;
  std::string reclaim_;
  const KvCache* cache_ = nullptr;
  std::uint32_t next_ = 0;
};

}  // namespace

TEST_CASE("ragged rounds hold what the longest set of each table needs", "[property]") {
  Random random(31);
  for (std::uint32_t i = 0; i < scaled(150); ++i) {
    const std::uint32_t layers = 1 + random.below(3), heads = 1 + random.below(3);
    Run run(i);
    const CacheLayout layout(
        layers, heads,
        random.of({TableKind::shared, TableKind::per_layer, TableKind::per_layer_per_head}),
        random.of({Scope::model, Scope::per_layer, Scope::per_head, Scope::per_layer_per_head}));
    run.config.cache = {random.of({1u, 4u, 16u}), std::nullopt, layout, Bytes(4096)};
    run.config.quality_queries = 0;
    const std::uint32_t budget = 20 + random.below(40), interval = 1 + random.below(30);
    std::vector<std::uint32_t> shares;
    for (std::uint32_t set = 0; set < layout.policy_sets(); ++set)
      shares.push_back(random.of({0u, 1u, 5u, budget, 2 * budget, 1000u}));
    const auto policy = std::make_shared<GivenShares>(shares);
    run.config.policy = policy;
    run.config.eviction.budget = budget;
    run.config.eviction.interval = interval;
    run.config.eviction.protect.recent = random.below(6);
    const std::string reclaim =
        random.of({std::string("none"), std::string("slide"), std::string("fill_holes"),
                   std::string("fullest_blocks")});
    run.reclaim(reclaim);
    const std::uint32_t prompt = random.below(120), output = 1 + random.below(200);
    run.config.sequences = {{prompt, output}};
    INFO("run " << i << ", " << enum_name(layout.table_kind()) << ", " << enum_name(layout.scope())
                << ", " << reclaim << ", budget " << budget << " + " << interval);

    Follower follower(PlainSets(shares, run.config.eviction.protect.recent), reclaim);
    run.simulation = std::make_unique<Simulation>(run.config, std::vector<Observer*>{&follower});
    follower.follow(run.simulation->cache());
    while (run.simulation->step() == RunStatus::running) {
    }
    // Slack: the first round at budget + interval, then one every `interval` tokens, as long as a
    // set has more than the budget would leave.
    const std::uint32_t most = std::max(run.config.eviction.protect.recent,
                                        *std::max_element(shares.begin(), shares.end()));
    std::vector<std::uint32_t> expected;
    std::uint32_t fullest = prompt, grown = 0;
    const auto look = [&](std::uint32_t t) {
      const std::uint32_t length = expected.empty() ? fullest : std::min(fullest, budget + grown);
      if (length < budget + interval) return;
      expected.push_back(t);
      fullest = std::min(fullest, most);
      grown = 0;
    };
    if (prompt > 0) look(prompt);
    for (std::uint32_t t = prompt + 1; t <= prompt + output; ++t) {
      ++fullest, ++grown;
      look(t);
    }
    CHECK(follower.rounds == expected);
  }
}

TEST_CASE("ragged shares of whole blocks leave no hole in a table of their own", "[property]") {
  Random random(32);
  for (std::uint32_t i = 0; i < scaled(40); ++i) {
    const CacheLayout layout(2, 2, TableKind::per_layer_per_head, Scope::per_layer_per_head);
    Run run(i);
    const std::uint32_t b = random.of({2u, 8u, 16u});
    run.config.cache = {b, std::nullopt, layout, Bytes(4096)};
    run.config.quality_queries = 0;
    const std::vector<std::uint32_t> shares{1, 20, 55, 100};
    run.config.policy = std::make_shared<GivenShares>(shares);
    run.config.eviction.budget = 44;
    run.config.eviction.interval = 1 + random.below(30);
    run.reclaim("whole_block");
    run.config.sequences = {{random.below(200), 1 + random.below(100)}};
    AfterRound look([&](std::uint32_t) {
      for (std::uint32_t t = 0; t < 4; ++t) {
        const BlockTable& table = run.simulation->cache().sequence(SequenceId(0)).tables[t];
        CHECK(table.live_count(0) == table.length());
        CHECK(table.length() <= shares[t] + 2 * b);
      }
    });
    CHECK(run.run(&look).memory.held_slots.peak > 0);
  }
}
