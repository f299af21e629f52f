// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/eviction/attention_memory.hpp"
#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Tokens above `threshold` times the mean, the best `budget` of them, one at least.
Tokens plain_gating(const Case& c, const HeadRange& heads, MemoryOptions memory, double threshold) {
  AttentionMemory sums(c.shape, memory);
  sums.advance(*c.attention, c.length);
  const auto scores = summed_scores(heads, c.live.size(), [&](auto layer, auto head) {
    std::vector<double> one(c.live.size());
    sums.add_scores(layer, head, c.live, one);
    return one;
  });
  double mean = 0;
  for (const double score : scores)
    mean += score / static_cast<double>(scores.size());
  const auto passing = static_cast<std::size_t>(std::count_if(
      scores.begin(), scores.end(), [&](double score) { return score > threshold * mean; }));
  return plain_choice(c.live, scores, c.length, {},
                      std::clamp<std::size_t>(passing, 1, c.options.budget));
}

}  // namespace

TEST_CASE("token_gating: a plain reading of the rule keeps the same tokens") {
  for (const double threshold : {0.0, 1.01, 2.5, 1000.0}) {
    const auto policy = make_policy("token_gating", {{"threshold", threshold}});
    check_against_rule(*policy, 40, 25, 90, [&](const Case& c, const HeadRange& heads) {
      return plain_gating(c, heads, {MemoryKind::per_age}, threshold);
    });
  }
  const auto by_sum = make_policy("token_gating", {{"memory", std::string("sum")}});
  check_against_rule(*by_sum, 40, 25, 90, [&](const Case& c, const HeadRange& heads) {
    return plain_gating(c, heads, {MemoryKind::sum}, 1.0);
  });
}

TEST_CASE("token_gating: protected tokens stay beside those that pass") {
  Case c;
  c.options.budget = 40;
  c.options.protect = {3, 5};
  const auto kept = c.keep(*make_policy("token_gating", {{"threshold", 1000.0}})).at(0);
  CHECK(kept == Tokens{0, 1, 2, 59, 60, 61, 62, 63});
}

TEST_CASE("token_gating: options of another memory are the user's error") {
  CHECK_THROWS_WITH(make_policy("token_gating", {{"half_life", 3.0}}), Catch::Contains("memory"));
}
