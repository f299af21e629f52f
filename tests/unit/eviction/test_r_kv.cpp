// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <iterator>

#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct RkvRule {
  std::uint32_t window = 8, kernel = 7;
  double lambda = 0.07, threshold = 0.5;
};

std::vector<double> plain_softmax(std::vector<double> values) {
  double sum = 0;
  for (double& x : values)
    sum += x = std::exp(x);
  for (double& x : values)
    x /= sum;
  return values;
}

/// Spec policies §3.11, but for rows without a duplicate, which lose nothing (E-14).
std::vector<double> plain_scores(const Case& c, std::uint32_t layer, std::uint32_t head,
                                 const RkvRule& rule) {
  const std::size_t n = c.live.size();
  std::size_t candidates = 0;
  while (candidates < n && c.live[candidates] + rule.window < c.length)
    ++candidates;
  std::vector<std::vector<double>> keys;
  for (const std::uint32_t token : c.live)
    keys.push_back(key_of(*c.attention, layer, head, token));

  std::vector<double> importance(candidates);
  const std::uint32_t first = c.length - std::min(c.length, rule.window);
  for (std::uint32_t position = first; position < c.length; ++position) {
    std::vector<double> logits(candidates, -1e300);
    const std::uint32_t group = c.shape.group();
    for (std::uint32_t q = head * group; q < (head + 1) * group; ++q) {
      const auto query = query_of(*c.attention, layer, q, position);
      for (std::size_t i = 0; i < candidates; ++i)
        logits[i] = std::max(logits[i], plain_dot(query, keys[i]) / std::sqrt(c.shape.head_dim));
    }
    const auto weights = plain_softmax(logits);
    for (std::size_t i = 0; i < candidates; ++i)
      importance[i] += weights[i] / (c.length - first);
  }

  std::vector<double> redundancy(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> cosines(n);
    std::size_t last = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i)
        cosines[j] = plain_dot(keys[i], keys[j]) /
                     ((plain_norm(keys[i]) + 1e-8) * (plain_norm(keys[j]) + 1e-8));
      if (cosines[j] > rule.threshold) last = j;
    }
    if (last < n) cosines[last] = 0;
    for (std::size_t j = 0; j < n; ++j)
      redundancy[j] += cosines[j];
  }
  for (double& sum : redundancy)
    sum /= static_cast<double>(n);
  redundancy = plain_softmax(redundancy);

  std::vector<double> scores(n);
  const std::size_t half = rule.kernel / 2;
  for (std::size_t i = 0; i < candidates; ++i) {
    double pooled = 0;
    for (std::size_t j = 0; j < candidates; ++j)
      if (j + half >= i && j <= i + half) pooled = std::max(pooled, importance[j]);
    scores[i] = rule.lambda * pooled - (1 - rule.lambda) * redundancy[i];
  }
  return scores;
}

/// Equal keys have equal redundancy, but sums of their cosines differ in the last bits, in another
/// order of additions in other bits. So the reference says which tokens tie, not which of them
/// stay.
Tokens with_ties_as_in(const Tokens& kept, const Case& c, const std::vector<double>& scores,
                       const Tokens& chosen) {
  const auto score = [&](std::uint32_t token) {
    return scores[static_cast<std::size_t>(std::lower_bound(c.live.begin(), c.live.end(), token) -
                                           c.live.begin())];
  };
  Tokens only_kept, only_chosen;
  std::set_difference(kept.begin(), kept.end(), chosen.begin(), chosen.end(),
                      std::back_inserter(only_kept));
  std::set_difference(chosen.begin(), chosen.end(), kept.begin(), kept.end(),
                      std::back_inserter(only_chosen));
  for (const std::uint32_t token : only_kept)
    for (const std::uint32_t other : only_chosen)
      if (std::abs(score(token) - score(other)) > 1e-14) return chosen;
  return only_kept.size() == only_chosen.size() ? kept : chosen;
}

void check_rule(const RkvRule& rule) {
  const auto policy = make_policy("r_kv", {{"window", std::int64_t{rule.window}},
                                           {"kernel", std::int64_t{rule.kernel}},
                                           {"lambda", rule.lambda},
                                           {"threshold", rule.threshold}});
  const Protection always{0, rule.window};
  check_against_rule(
      *policy, 60, 12, 120, [&](const Case& c, const HeadRange& heads, const Tokens& kept) {
        const auto scores =
            summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
              return plain_scores(c, layer, head, rule);
            });
        const auto chosen = plain_choice(c.live, scores, c.length, always, c.options.budget);
        return with_ties_as_in(kept, c, scores, chosen);
      });
}

}  // namespace

TEST_CASE("r_kv: a plain reading of the rule keeps the same tokens") {
  check_rule({});
  check_rule({1, 1, 1.0, 0.5});  // attention alone
  check_rule({4, 3, 0.0, 0.9});  // redundancy alone
  check_rule({3, 5, 0.5, 0.2});
}

TEST_CASE("r_kv: of many equal keys the newest stays") {
  // Tokens 2 to 7 are one key, all others at right angles to each other.
  GivenVectors::Rows keys;
  for (std::uint32_t token = 0; token < 12; ++token) {
    std::vector<float> key(12, 0.0f);
    key[token >= 2 && token <= 7 ? 2 : token] = 1;
    keys.push_back(key);
  }
  const GivenVectors given(keys, keys);
  Case c;
  c.shape = given.shape();
  c.length = 12;
  c.attention = &given;
  c.options.budget = 7;
  const auto policy = make_policy("r_kv", {{"window", std::int64_t{2}}});
  CHECK(c.keep(*policy).at(0) == Tokens{0, 1, 7, 8, 9, 10, 11});
}

TEST_CASE("E-14: without duplicates token 0 is as redundant as its cosines say") {
  // All pairs below the threshold. Token 0 points where the others point, so it is the most
  // redundant and goes first; had each row lost its column 0, it would be the least.
  GivenVectors::Rows keys;
  keys.push_back({0.4f, 0.4f, 0.4f, 0.4f, 0.4f, 0.4f});
  for (std::size_t token = 1; token <= 6; ++token) {
    std::vector<float> key(6, 0.0f);
    key[token - 1] = 1;
    keys.push_back(key);
  }
  const GivenVectors given(keys, keys);
  Case c;
  c.shape = given.shape();
  c.length = 7;
  c.attention = &given;
  c.options.budget = 6;
  const auto policy =
      make_policy("r_kv", {{"window", std::int64_t{1}}, {"lambda", 0.0}, {"threshold", 0.5}});
  CHECK(c.keep(*policy).at(0) == Tokens{1, 2, 3, 4, 5, 6});
}

TEST_CASE("r_kv: keys of length zero give no NaN, an even kernel has no centre") {
  const GivenVectors zero(GivenVectors::Rows(20, {0, 0}), GivenVectors::Rows(20, {0, 0}));
  Case c;
  c.shape = zero.shape();
  c.length = 20;
  c.attention = &zero;
  c.options.budget = 10;
  CHECK(c.keep(*make_policy("r_kv")).at(0) == Tokens{0, 1, 12, 13, 14, 15, 16, 17, 18, 19});
  CHECK_THROWS_AS(make_policy("r_kv", {{"kernel", std::int64_t{2}}}), UserError);
}
