// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Spec policies §3.12, word by word: attention of the last query over what is cached.
Tokens plain_tova(const Case& c, const HeadRange& heads, Protection always) {
  const auto scores =
      summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
        std::vector<double> sums(c.live.size());
        const std::uint32_t group = c.shape.group();
        for (std::uint32_t q = head * group; q < (head + 1) * group; ++q) {
          const auto row = weights_of(*c.attention, layer, q, c.length - 1);
          double mass = 0;
          for (const std::uint32_t token : c.live)
            mass += row[token];
          for (std::size_t i = 0; i < c.live.size(); ++i)
            sums[i] += row[c.live[i]] / mass;
        }
        return sums;
      });
  return plain_choice(c.live, scores, c.length, always, c.options.budget);
}

}  // namespace

TEST_CASE("tova: a plain reading of the rule keeps the same tokens") {
  check_against_rule(*make_policy("tova"), 150, 3, 200, [](const Case& c, const HeadRange& heads) {
    return plain_tova(c, heads, {0, 0});
  });
  check_against_rule(*make_policy("tova", {{"keep_newest", true}}), 50, 3, 200,
                     [](const Case& c, const HeadRange& heads) {
                       return plain_tova(c, heads, {0, 1});
                     });
}

TEST_CASE("tova: the newest token may go, unless it is asked for") {
  // Even attention: ties fall to the first tokens.
  const GivenVectors even(GivenVectors::Rows(8, {1, 0}), GivenVectors::Rows(8, {1, 0}));
  Case c;
  c.shape = even.shape();
  c.length = 8;
  c.options.budget = 3;
  c.attention = &even;
  CHECK(c.keep(*make_policy("tova")).at(0) == Tokens{0, 1, 2});
  CHECK(c.keep(*make_policy("tova", {{"keep_newest", true}})).at(0) == Tokens{0, 1, 7});
}

TEST_CASE("E-15: tova drops one token a layer and step, in every layer another") {
  Case c;
  c.shape = {6, 2, 1, 8};
  c.scope = find_policy("tova")->scope;
  c.length = 129;
  c.options.budget = 128;
  const auto kept = c.keep(*make_policy("tova"));
  REQUIRE(kept.size() == 6);
  std::set<std::uint32_t> dropped;
  for (const Tokens& tokens : kept) {
    REQUIRE(tokens.size() == 128);
    for (std::uint32_t token = 0; token < 129; ++token)
      if (!std::binary_search(tokens.begin(), tokens.end(), token)) dropped.insert(token);
  }
  // No token has left all layers, so that not even one slot of a shared table is free.
  CHECK(dropped.size() > 1);
}
