// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::vector<double> window_scores(const Case& c, const HeadRange& heads, const Tokens& live) {
  return plain_window_scores(c, heads, live, 4, 1, false);
}

/// A block of one set, or as many of its tokens.
struct Part {
  std::size_t set;
  double worth;
  Tokens tokens;
};

/// The best parts of all sets that may go, as many as are free: (worth, set, order of adding).
std::vector<Tokens> with_best(std::vector<Tokens> kept, std::vector<Part> parts, std::size_t room) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.worth > b.worth; });
  for (std::size_t i = 0; i < std::min(room, parts.size()); ++i)
    kept[parts[i].set].insert(kept[parts[i].set].end(), parts[i].tokens.begin(),
                              parts[i].tokens.end());
  for (Tokens& set : kept)
    std::sort(set.begin(), set.end());
  return kept;
}

std::vector<Tokens> plain_blocks(const Case& c) {
  const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
  const std::uint32_t b = c.block_size;
  std::vector<Tokens> kept(c.lives.size());
  std::vector<Part> parts;
  std::size_t wanted = 0, taken = 0;
  for (std::size_t set = 0; set < c.lives.size(); ++set) {
    const Tokens& live = c.lives[set];
    const auto scores = window_scores(c, layout.heads(static_cast<std::uint32_t>(set)), live);
    std::map<std::uint32_t, Part> blocks;
    for (std::size_t i = 0; i < live.size(); ++i) {
      Part& part = blocks[live[i] / b];
      part.set = set;
      part.worth += scores[i];
      part.tokens.push_back(live[i]);
    }
    wanted += (c.options.budget + b - 1) / b;
    for (const auto& [index, part] : blocks) {
      const bool stays = part.tokens.back() + 4 >= c.length;
      if (!stays)
        parts.push_back(part);
      else
        kept[set].insert(kept[set].end(), part.tokens.begin(), part.tokens.end()), ++taken;
    }
  }
  return with_best(kept, parts, wanted - std::min(wanted, taken));
}

std::vector<Tokens> plain_ranked(const Case& c) {
  const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
  const std::uint32_t b = c.block_size;
  std::vector<Tokens> kept(c.lives.size());
  std::vector<Part> parts;
  std::size_t wanted = 0, taken = 0;
  for (std::size_t set = 0; set < c.lives.size(); ++set) {
    const Tokens& live = c.lives[set];
    const auto scores = window_scores(c, layout.heads(static_cast<std::uint32_t>(set)), live);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i] + 4 >= c.length)
        kept[set].push_back(live[i]);
      else
        open.push_back(i);
    std::stable_sort(open.begin(), open.end(),
                     [&](std::size_t a, std::size_t z) { return scores[a] > scores[z]; });
    wanted += (c.options.budget + b - 1) / b;
    taken += (kept[set].size() + b - 1) / b;
    std::size_t i = 0;
    for (; i < open.size() && kept[set].size() % b != 0; ++i)
      kept[set].push_back(live[open[i]]);
    for (; i < open.size(); i += b) {
      Part part{set, 0, {}};
      for (std::size_t j = i; j < std::min<std::size_t>(i + b, open.size()); ++j) {
        part.worth += scores[open[j]];
        part.tokens.push_back(live[open[j]]);
      }
      parts.push_back(part);
    }
  }
  return with_best(kept, parts, wanted - std::min(wanted, taken));
}

/// Rounds whose sets hold whole blocks, as this policy leaves them behind, but for the newest.
template <class Plain>
void check_rounds(const std::string& blocks, bool holes, Plain&& plain) {
  const auto policy =
      make_policy("ragged_blocks", {{"window", std::int64_t{4}}, {"blocks", blocks}});
  Random random(7);
  for (std::uint32_t i = 0; i < 120; ++i) {
    MadeRound made(random, 30, 120);
    Case& c = made.c;
    c.slots.clear();
    c.live = first_tokens(c.length);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
    for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
      Tokens live;
      bool stays = true;
      for (std::uint32_t token = 0; token < c.length; ++token) {
        if (holes || token % c.block_size == 0) stays = !random.one_in(4);
        if (stays || token + c.block_size >= c.length) live.push_back(token);
      }
      c.lives.push_back(live);
    }
    c.options.budget = 5 + random.below(c.length - 5);
    INFO("round " << i << ", " << enum_name(c.scope) << ", " << c.length << " tokens, budget "
                  << c.options.budget << ", block " << c.block_size);
    if (c.length / c.block_size > 0) CHECK(c.keep(*policy) == plain(c));
  }
}

}  // namespace

TEST_CASE("ragged_blocks: the best blocks of all sets together, by their sum") {
  check_rounds("table", false, plain_blocks);
}

TEST_CASE("ragged_blocks: or the best groups of as many tokens") {
  check_rounds("ranked", true, plain_ranked);
}

// P1 of spec block_aware §2: no choice of as many blocks has more.
TEST_CASE("ragged_blocks: the sum of what stays is at least that of equal shares") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const FakeAttention attention({2, 4, 2, 0}, 128, seed);
    Case c;
    c.shape = attention.shape();
    c.scope = Scope::per_layer_per_head;
    c.length = 128;
    c.attention = &attention;
    c.options.budget = 48;
    const CacheLayout layout(2, 2, TableKind::shared, c.scope);
    const auto mass = [&](const std::vector<Tokens>& kept) {
      double sum = 0;
      for (std::uint32_t set = 0; set < 4; ++set) {
        const auto scores =
            plain_window_scores(c, layout.heads(set), first_tokens(128), 4, 1, false);
        for (const std::uint32_t token : kept[set])
          sum += scores[token];
      }
      return sum;
    };
    const auto ragged = c.keep(*make_policy("ragged_blocks", {{"window", std::int64_t{4}}}));
    std::size_t tokens = 0;
    for (const Tokens& set : ragged)
      tokens += set.size();
    CHECK(tokens == 4 * 48);
    c.options.whole_blocks = BlockAggregate::sum;
    const auto equal =
        c.keep(*make_policy("snapkv", {{"window", std::int64_t{4}}, {"kernel", std::int64_t{1}}}));
    CHECK(mass(ragged) >= mass(equal));
  }
}
