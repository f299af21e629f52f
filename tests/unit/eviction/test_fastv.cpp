// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct FastVRule {
  std::uint32_t start = 5, count = 576, layer = 2;
  double drop = 0.5;
};

std::unique_ptr<EvictionPolicy> fastv(const FastVRule& rule) {
  return make_policy("fastv", {{"image_start", std::int64_t{rule.start}},
                               {"image_tokens", std::int64_t{rule.count}},
                               {"layer", std::int64_t{rule.layer}},
                               {"drop", rule.drop}});
}

/// Spec policies §3.10 for one layer: text, and the image tokens of largest attention of the last
/// prompt token at layer K - 1, mean over its heads.
Tokens plain_layer(const Case& c, std::uint32_t layer, const FastVRule& rule) {
  if (layer < rule.layer) return c.live;
  std::vector<double> scores(c.prompt);
  for (std::uint32_t q = 0; q < c.shape.query_heads; ++q) {
    const auto row = weights_of(*c.attention, rule.layer - 1, q, c.prompt - 1);
    for (std::size_t j = 0; j < row.size(); ++j)
      scores[j] += row[j] / c.shape.query_heads;
  }
  Tokens image, kept;
  std::uint32_t had = 0;
  for (std::uint32_t token = rule.start; token < std::min(rule.start + rule.count, c.prompt);
       ++token)
    ++had;
  for (const std::uint32_t token : c.live)
    (token >= rule.start && token < rule.start + had ? image : kept).push_back(token);
  std::stable_sort(image.begin(), image.end(),
                   [&](auto a, auto b) { return scores[a] > scores[b]; });
  const auto stay = static_cast<std::size_t>(std::nearbyint(had * (1 - rule.drop)));
  image.resize(std::min(stay, image.size()));
  kept.insert(kept.end(), image.begin(), image.end());
  std::sort(kept.begin(), kept.end());
  return kept;
}

Case image_case(const FakeAttention& attention) {
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer;
  c.length = c.prompt = attention.length();
  c.attention = &attention;
  c.live = first_tokens(c.length);
  return c;
}

}  // namespace

TEST_CASE("fastv: a plain reading of the rule keeps the same tokens") {
  const FakeAttention attention({4, 4, 2, 8}, 90);
  for (const FastVRule& rule :
       {FastVRule{5, 60, 2, 0.5}, FastVRule{0, 31, 1, 0.75}, FastVRule{40, 576, 3, 0.5},
        FastVRule{5, 5, 2, 0.5}, FastVRule{200, 10, 2, 0.5}, FastVRule{5, 60, 2, 1.0}}) {
    Case c = image_case(attention);
    INFO(rule.start << ", " << rule.count << ", " << rule.layer << ", " << rule.drop);
    const auto check = [&] {
      const auto sets = c.keep(*fastv(rule));
      for (std::uint32_t layer = 0; layer < 4; ++layer)
        CHECK(sets.at(layer) == plain_layer(c, layer, rule));
      return sets;
    };
    const auto sets = check();
    // Later on, with tokens of the output, nothing more goes of what is left.
    c.prompt = 70;
    c.live = tokens_with_holes(90);
    check();
    // A second round drops nothing.
    c = image_case(attention);
    c.live = sets.at(3);
    CHECK(c.keep(*fastv(rule)).at(3) == sets[3]);
  }
}

// Spec policies §3.10: layer-tokens stored = K·T + (L - K)·(T - n + round(n·(1 - R))).
TEST_CASE("E-13: fastv frees nothing on one table, and what the formula says on one a layer") {
  const std::uint32_t length = 96, image = 64, layers = 4, first = 2;
  const FakeAttention attention({layers, 2, 1, 4}, length);
  const auto sets = image_case(attention).keep(*fastv({5, image, first, 0.5}));
  std::set<std::uint32_t> anywhere;
  std::size_t stored = 0;
  for (const Tokens& kept : sets) {
    anywhere.insert(kept.begin(), kept.end());
    stored += kept.size();
  }
  CHECK(anywhere.size() == length);  // no slot is vacated, so no block is
  CHECK(stored == first * length + (layers - first) * (length - image + image / 2));

  // One set for all layers: those that keep everything decide.
  Case c = image_case(attention);
  for (const Scope scope : {Scope::model, Scope::per_head}) {
    c.scope = scope;
    CHECK(c.keep(*fastv({5, image, first, 0.5})).at(0).size() == length);
  }
}

TEST_CASE("fastv: protected image tokens count among those that stay") {
  const FakeAttention attention({2, 2, 1, 4}, 40);
  Case c = image_case(attention);
  c.options.protect.recent = 6;
  const Tokens kept = c.keep(*fastv({10, 30, 1, 0.5})).at(1);
  CHECK(kept.size() == 10 + 15);
  for (std::uint32_t token = 34; token < 40; ++token)
    CHECK(std::binary_search(kept.begin(), kept.end(), token));
  c.options.protect.recent = 20;  // more of them than may stay
  CHECK(c.keep(*fastv({10, 30, 1, 0.5})).at(1).size() == 10 + 20);
}
