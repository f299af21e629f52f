// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct VaseRule {
  std::uint32_t recent = 64, sinks = 4, kernel = 5;
  double range_share = 0.25;
};

std::unique_ptr<EvictionPolicy> vase(const VaseRule& rule, std::uint64_t seed = 0) {
  PolicyContext context;
  context.seed = seed;
  return make_policy("vase",
                     {{"recent", std::int64_t{rule.recent}},
                      {"sinks", std::int64_t{rule.sinks}},
                      {"kernel", std::int64_t{rule.kernel}},
                      {"range_share", rule.range_share}},
                     context);
}

/// Attention of the last queries to the candidates, as spec policies §3.17 has it: softmax over
/// candidates only, mean over queries, average pooling with zeros at the ends, mean over the group.
std::vector<double> plain_weights(const Case& c, std::uint32_t layer, std::uint32_t head,
                                  const Tokens& candidates, const VaseRule& rule) {
  std::vector<double> weights(candidates.size());
  const std::uint32_t group = c.shape.group();
  for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
    for (std::uint32_t query = c.length - std::min(c.length, rule.recent); query < c.length;
         ++query) {
      const auto row = weights_of(*c.attention, layer, q, query);
      double mass = 0;
      for (const std::uint32_t token : candidates)
        mass += row[token];
      for (std::size_t i = 0; i < candidates.size(); ++i)
        weights[i] += row[candidates[i]] / mass;
    }
  std::vector<double> pooled(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = 0; j < candidates.size(); ++j)
      if (j + rule.kernel / 2 >= i && j <= i + rule.kernel / 2)
        pooled[i] += weights[j] / rule.kernel;
  return pooled;
}

/// The winners by range, then one number a token: the smallest -ln(u) / w are drawn.
Tokens plain_vase(const Case& c, const HeadRange& heads, const VaseRule& rule, std::uint64_t seed) {
  Tokens candidates, kept;
  for (const std::uint32_t token : c.live)
    (token + rule.recent < c.length ? candidates : kept).push_back(token);
  const std::size_t n = candidates.size(), wanted = c.options.budget - kept.size();
  auto ranges = summed_scores(heads, n, [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> result;
    for (const std::uint32_t token : candidates) {
      const auto value = value_of(*c.attention, layer, head, token);
      result.push_back(*std::max_element(value.begin(), value.end()) -
                       *std::min_element(value.begin(), value.end()));
    }
    return result;
  });
  const auto weights = summed_scores(heads, n, [&](std::uint32_t layer, std::uint32_t head) {
    return plain_weights(c, layer, head, candidates, rule);
  });
  std::size_t sinks = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (candidates[i] < rule.sinks) ranges[i] = 1e300, ++sinks;
  const std::size_t large = std::min(
      wanted, std::max(sinks, static_cast<std::size_t>(rule.range_share * c.options.budget)));
  Tokens order = first_tokens(static_cast<std::uint32_t>(n));
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return ranges[a] > ranges[b]; });
  const auto rest = order.begin() + static_cast<std::ptrdiff_t>(large);
  const auto time = [&](std::uint32_t i) {
    const std::uint32_t word = philox4x32_10(
        {3, heads.first_layer * c.shape.kv_heads + heads.first_head, c.round, candidates[i]},
        philox_key(seed))[0];
    return -std::log((word + 0.5) * std::pow(2.0, -32)) / weights[i];
  };
  std::sort(rest, order.end(), [&](auto a, auto b) { return time(a) < time(b); });
  for (std::size_t i = 0; i < wanted; ++i)
    kept.push_back(candidates[order[i]]);
  std::sort(kept.begin(), kept.end());
  return kept;
}

/// Values of the given ranges; the last query attends to the tokens in proportion to `weights`.
class RangesAndWeights final : public SequenceAttention {
 public:
  RangesAndWeights(std::vector<float> ranges, std::vector<float> weights)
      : ranges_(std::move(ranges)), weights_(std::move(weights)) {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return static_cast<std::uint32_t>(ranges_.size()); }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> row) const override {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += double{weights_[j]};
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(double{weights_[j]} / sum);
  }
  void values(std::uint32_t, std::uint32_t, std::uint32_t first,
              std::span<float> out) const override {
    for (std::size_t at = 0; at < out.size(); at += 2) {
      out[at] = 1;
      out[at + 1] = 1 + ranges_[first++];
    }
  }

 private:
  AttentionShape shape_{1, 1, 1, 2};
  std::vector<float> ranges_, weights_;
};

}  // namespace

TEST_CASE("vase: a plain reading of the rule keeps the same tokens") {
  for (const VaseRule& rule : {VaseRule{8, 4, 5, 0.25}, VaseRule{16, 0, 1, 0.0},
                               VaseRule{4, 6, 3, 1.0}, VaseRule{64, 4, 5, 0.25}})
    check_against_rule(
        *vase(rule, 5), 80, 2 * rule.recent, 2 * rule.recent + 120,
        [&](const Case& c, const HeadRange& heads) { return plain_vase(c, heads, rule, 5); });
}

TEST_CASE("E-20: too few positive weights leave the draw defined") {
  // Only tokens 5 and 9 have weight besides the buffer; three are to be drawn. The widest are 7, 3.
  std::vector<float> ranges(16, 1), weights(16, 0);
  ranges[7] = 5, ranges[3] = 4;
  weights[5] = weights[9] = weights[15] = 1;
  const RangesAndWeights given(ranges, weights);
  Case c;
  c.shape = given.shape();
  c.length = 16;
  c.attention = &given;
  c.options.budget = 7;
  // 2 recent, int(0.3 * 7) = 2 widest, 3 draws: both weights, then the first token without one.
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    CHECK(c.keep(*vase({2, 0, 1, 0.3}, seed)).at(0) == Tokens{0, 3, 5, 7, 9, 14, 15});
  // No weight at all.
  const RangesAndWeights none(ranges,
                              std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  c.attention = &none;
  CHECK(c.keep(*vase({2, 0, 1, 0.3})).at(0) == Tokens{0, 1, 2, 3, 7, 14, 15});
}

TEST_CASE("vase: draws follow the weights") {
  // One of ten candidates is drawn, token 0 with weight 4, the others with 1: 4 / 13 of the time.
  std::vector<float> weights(11, 1);
  weights[0] = 4;
  const RangesAndWeights given(std::vector<float>(11, 1), weights);
  Case c;
  c.shape = given.shape();
  c.length = 11;
  c.attention = &given;
  c.options.budget = 2;
  std::uint32_t hits = 0;
  const auto policy = vase({1, 0, 1, 0.0}, 11);
  for (c.round = 0; c.round < 4000; ++c.round)
    hits += c.keep(*policy).at(0).front() == 0;
  // Deviation 0.0073; four of them.
  CHECK(hits / 4000.0 == Approx(4.0 / 13).margin(0.03));
}

TEST_CASE("vase: sinks come first among the widest, and an even kernel has no centre") {
  std::vector<float> ranges(12, 1);
  ranges[8] = 9;
  const RangesAndWeights given(ranges, std::vector<float>(12, 1));
  Case c;
  c.shape = given.shape();
  c.length = 12;
  c.attention = &given;
  c.options.budget = 6;
  // int(0.5 * 6) = 3: two sinks and token 8; one is drawn, two are recent.
  const Tokens kept = c.keep(*vase({2, 2, 1, 0.5})).at(0);
  for (const std::uint32_t token : {0u, 1u, 8u, 10u, 11u})
    CHECK(std::binary_search(kept.begin(), kept.end(), token));
  CHECK_THROWS_AS(vase({2, 2, 4, 0.5}), UserError);
}
