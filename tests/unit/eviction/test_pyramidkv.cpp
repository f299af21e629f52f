// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Shares of layers that hold `tokens` tokens each, of which the last `window` are guarded.
Tokens pyramid(std::uint32_t layers, std::uint32_t tokens, std::uint32_t budget,
               std::uint32_t window = 32) {
  const auto policy = make_policy("pyramidkv", {{"window", std::int64_t{window}}});
  const CacheLayout layout(layers, 1, TableKind::per_layer, Scope::per_layer);
  const Tokens live = first_tokens(tokens);
  std::vector<std::uint64_t> guarded(bits::words(tokens), 0);
  bits::set_range(guarded, tokens - window, tokens);
  EvictionRound round;
  round.layout = &layout;
  round.live = round.slots = live;
  round.keep = budget;
  round.guarded = guarded;
  std::vector<EvictionRound> rounds(layers, round);
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    rounds[layer].set = layer;
  Tokens shares(layers, budget);
  SelectionScratch scratch;
  policy->allot(rounds, shares, scratch);
  return shares;
}

/// Spec policies §3.5, for one layer; C: the budget beside the guarded tokens.
std::size_t plain_share(std::size_t layer, std::size_t layers, std::size_t tokens,
                        std::size_t guards, std::size_t budget, std::size_t beta) {
  const std::size_t c = budget - guards;
  if (tokens < 2 * c || layers == 1) return guards + c;
  std::size_t low = c / beta, high = 2 * c - low;
  if (high >= tokens - guards) {
    high = tokens - guards;
    low = 2 * c - high;
  }
  return guards + high - layer * ((high - low) / (layers - 1));
}

}  // namespace

// Spec policies §3.5, derived from the public code: cap 2048, w 32, 32 layers.
TEST_CASE("pyramidkv: the published example") {
  const Tokens shares = pyramid(32, 16384, 2048);
  CHECK(shares.front() == 3964);
  CHECK(shares[1] == 3964 - 123);
  CHECK(shares.back() == 151);
  CHECK(std::accumulate(shares.begin(), shares.end(), 0u) == 65840);
}

TEST_CASE("pyramidkv: short caches are cut evenly, and no layer is promised more than there is") {
  CHECK(pyramid(4, 4031, 2048) == Tokens(4, 2048));
  CHECK(pyramid(4, 4032, 2048).front() == 3964);
  // A budget of 132, 100 beside the window: from 195 down to 5 of 232 tokens.
  CHECK(pyramid(3, 264, 132) == Tokens{227, 132, 37});
  // Of 168 the first layer cannot keep 195, so that the last keeps more.
  CHECK(pyramid(3, 200, 132) == Tokens{200, 132, 64});
  CHECK(pyramid(1, 264, 132) == Tokens{132});
}

TEST_CASE("pyramidkv: a plain reading of the rule keeps the same tokens") {
  for (const auto& [window, beta, kernel] : {std::tuple{4u, 20u, 5u}, {1u, 3u, 1u}, {8u, 1u, 3u}})
    check_shares(
        *make_policy("pyramidkv", {{"window", std::int64_t{window}},
                                   {"beta", std::int64_t{beta}},
                                   {"kernel", std::int64_t{kernel}}}),
        120, 20, 90,
        [window = window, kernel = kernel](const Case& c, const HeadRange& heads,
                                           const Tokens& live) {
          return plain_window_scores(c, heads, live, window, kernel, false);
        },
        [beta = beta](const Case& c, const std::vector<PlainSet>& sets) {
          std::size_t longest = 0, guards = 0;
          for (const PlainSet& set : sets)
            if (set.live.size() > longest) longest = set.live.size(), guards = set.guards();
          std::vector<std::size_t> shares;
          for (const PlainSet& set : sets)
            shares.push_back(set.heads.last_layer - set.heads.first_layer > 1
                                 ? set.keep
                                 : plain_share(set.heads.first_layer, c.shape.layers, longest,
                                               guards, set.keep, beta));
          return shares;
        });
}
