// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Spec policies §3.13 over the given tokens: mean of the normalised keys, minus the cosine to it.
std::vector<double> plain_scores(const Case& c, const HeadRange& heads, const Tokens& tokens) {
  return summed_scores(heads, tokens.size(), [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> anchor(c.shape.head_dim), scores;
    for (const std::uint32_t token : tokens) {
      const auto key = key_of(*c.attention, layer, head, token);
      for (std::size_t i = 0; i < key.size(); ++i)
        anchor[i] += key[i] / plain_norm(key) / static_cast<double>(tokens.size());
    }
    for (const std::uint32_t token : tokens) {
      const auto key = key_of(*c.attention, layer, head, token);
      scores.push_back(-plain_dot(key, anchor) / plain_norm(key) / plain_norm(anchor));
    }
    return scores;
  });
}

Tokens plain_keydiff(const Case& c, const HeadRange& heads, std::uint32_t step) {
  const std::uint32_t keep = c.options.budget;
  Tokens running(c.live.begin(), c.live.begin() + keep);
  for (std::size_t next = keep; next < c.live.size();) {
    const std::size_t end = std::min<std::size_t>(c.live.size(), next + step);
    running.insert(running.end(), c.live.begin() + static_cast<std::ptrdiff_t>(next),
                   c.live.begin() + static_cast<std::ptrdiff_t>(end));
    running = plain_choice(running, plain_scores(c, heads, running), c.length, {0, 0}, keep);
    next = end;
  }
  return running;
}

}  // namespace

TEST_CASE("keydiff: a plain reading of the rule keeps the same tokens") {
  for (const std::uint32_t step : {1u, 7u, 128u})
    check_against_rule(
        *make_policy("keydiff", {{"step", std::int64_t{step}}}), step == 1 ? 20 : 80, 3, 300,
        [&](const Case& c, const HeadRange& heads) { return plain_keydiff(c, heads, step); });
  // All at once.
  check_against_rule(*make_policy("keydiff", {{"step", std::int64_t{0}}}), 80, 3, 300,
                     [](const Case& c, const HeadRange& heads) {
                       return plain_choice(c.live, plain_scores(c, heads, c.live), c.length, {0, 0},
                                           c.options.budget);
                     });
}

TEST_CASE("keydiff: step by step, guarded tokens stay and the budget holds") {
  Case c;
  c.length = 300;
  c.live = tokens_with_holes(300);
  c.options.budget = 60;
  c.options.protect = {5, 40};
  const Tokens kept = c.keep(*make_policy("keydiff", {{"step", std::int64_t{9}}})).at(0);
  CHECK(kept.size() == 60);
  for (const std::uint32_t token : c.live)
    if (token < 5 || token >= 260) CHECK(std::binary_search(kept.begin(), kept.end(), token));
}

TEST_CASE("keydiff: keys of length zero are like no other") {
  // Spec policies §3.13, edge: the first key and an anchor that cancels out give no NaN.
  GivenVectors::Rows keys(6, {1, 0});
  keys[2] = {0, 0};
  Case c;
  c.shape = {1, 1, 1, 2};
  c.length = 6;
  c.options.budget = 2;
  const GivenVectors one_zero(keys, keys);
  c.attention = &one_zero;
  for (const std::int64_t step : {0, 1, 128})
    CHECK(c.keep(*make_policy("keydiff", {{"step", step}})).at(0) == Tokens{0, 2});
  const GivenVectors all_zero(GivenVectors::Rows(6, {0, 0}), GivenVectors::Rows(6, {0, 0}));
  c.attention = &all_zero;
  CHECK(c.keep(*make_policy("keydiff")).at(0) == Tokens{0, 1});
}
