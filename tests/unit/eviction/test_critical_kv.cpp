// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Spec policies, other presses: half of the budget by base score, rest by (score + epsilon) times
/// |Wo v|_1, both means over the group's query heads, the base also over the window's queries.
Tokens plain_critical_kv(const Case& c, const HeadRange& heads, std::uint32_t queries,
                         std::uint32_t kernel, double first_stage, double epsilon) {
  const std::uint32_t group = c.shape.group(), first_query = c.length - std::min(c.length, queries);
  const auto live_end = std::lower_bound(c.live.begin(), c.live.end(), first_query);
  const auto candidates = static_cast<std::size_t>(live_end - c.live.begin());
  std::vector<double> base(c.live.size()), weighed(c.live.size());
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head) {
      const auto sums = plain_window_scores(c, {layer, layer + 1, head, head + 1}, c.live, queries,
                                            kernel, false);
      for (std::size_t i = 0; i < candidates; ++i) {
        double norm = 0;
        for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
          norm += output_norm_of(*c.attention, layer, q, c.live[i]) / group;
        base[i] += sums[i];
        weighed[i] += (sums[i] / (group * (c.length - first_query)) + epsilon) * norm;
      }
    }
  // Stage 1 takes the window first, then the best; stage 2 what is left.
  const auto by = [&](const std::vector<double>& scores) {
    Tokens order = first_tokens(static_cast<std::uint32_t>(candidates));
    std::stable_sort(order.begin(), order.end(),
                     [&](auto x, auto y) { return scores[x] > scores[y]; });
    return order;
  };
  Tokens kept(live_end, c.live.end());
  std::vector<bool> taken(candidates);
  const auto take = [&](const Tokens& order, std::size_t until) {
    for (const std::uint32_t i : order)
      if (kept.size() < until && !taken[i]) {
        taken[i] = true;
        kept.push_back(c.live[i]);
      }
  };
  take(by(base), static_cast<std::size_t>(first_stage * c.options.budget));
  take(by(weighed), c.options.budget);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

TEST_CASE("critical_kv: a plain reading of the rule keeps the same tokens") {
  const double first_stage = GENERATE(0.0, 0.5, 1.0), epsilon = GENERATE(1e-4, 0.5);
  constexpr std::uint32_t window = 4, kernel = 5;
  const auto policy = make_policy("critical_kv", {{"window", std::int64_t{window}},
                                                  {"kernel", std::int64_t{kernel}},
                                                  {"first_stage", first_stage},
                                                  {"epsilon", epsilon}});
  check_against_rule(*policy, 60, 12, 90, [&](const Case& c, HeadRange heads) {
    return plain_critical_kv(c, heads, window, kernel, first_stage, epsilon);
  });
}

TEST_CASE("critical_kv: a whole budget by attention is snapkv's choice") {
  Random random(4);
  const auto critical = make_policy("critical_kv", {{"first_stage", 1.0}});
  const auto snapkv = make_policy("snapkv");
  for (int i = 0; i < 20; ++i) {
    MadeRound made(random, 40, 120);
    if (!made.set_budget(random, snapkv->protection(0))) continue;
    CHECK(made.c.keep(*critical) == made.c.keep(*snapkv));
  }
}
