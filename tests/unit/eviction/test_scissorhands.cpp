// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/units/error.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct ScissorhandsRule {
  std::string importance = "pivotal", choice = "top_k";
  std::uint32_t history = 400, recent = 10, sinks = 4;
  double temperature = 1;
};

std::unique_ptr<EvictionPolicy> scissorhands(const ScissorhandsRule& rule, std::uint64_t seed = 0) {
  PolicyContext context;
  context.seed = seed;
  return make_policy("scissorhands",
                     {{"importance", rule.importance},
                      {"choice", rule.choice},
                      {"history", std::int64_t{rule.history}},
                      {"recent", std::int64_t{rule.recent}},
                      {"sinks", std::int64_t{rule.sinks}},
                      {"temperature", rule.temperature}},
                     context);
}

/// Spec policies §3.3: over the last `history` queries, what each live token got of the attention
/// among live tokens, or in how many it got more than the mean.
std::vector<double> plain_importance(const Case& c, std::uint32_t layer, std::uint32_t head,
                                     const ScissorhandsRule& rule) {
  std::vector<double> result(c.live.size());
  const std::uint32_t group = c.shape.group();
  for (std::uint32_t query = 0; query < c.length; ++query) {
    if (query + rule.history < c.length) continue;
    for (std::uint32_t q = head * group; q < (head + 1) * group; ++q) {
      const auto row = weights_of(*c.attention, layer, q, query);
      double mass = 0, seen = 0;
      for (const std::uint32_t token : c.live)
        if (token <= query) mass += row[token], seen += 1;
      for (std::size_t i = 0; i < c.live.size() && c.live[i] <= query; ++i)
        result[i] += rule.importance == "attention" ? row[c.live[i]] / mass
                     : row[c.live[i]] * seen > mass ? 1.0
                                                    : 0.0;
    }
  }
  return result;
}

Tokens plain_scissorhands(const Case& c, const HeadRange& heads, const ScissorhandsRule& rule,
                          std::uint64_t seed) {
  auto scores = summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    return plain_importance(c, layer, head, rule);
  });
  if (rule.choice == "sample")
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::uint32_t word = philox4x32_10(
          {3, heads.first_layer * c.shape.kv_heads + heads.first_head, c.round, c.live[i]},
          philox_key(seed))[0];
      scores[i] =
          scores[i] / rule.temperature - std::log(-std::log((word + 0.5) * std::pow(2.0, -32)));
    }
  return plain_choice(c.live, scores, c.length, {rule.sinks, rule.recent}, c.options.budget);
}

/// Every query pays the tokens in proportion to the given weights.
class SameRow final : public SequenceAttention {
 public:
  explicit SameRow(std::vector<double> weights) : weights_(std::move(weights)) {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return static_cast<std::uint32_t>(weights_.size()); }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> row) const override {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += weights_[j];
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(weights_[j] / sum);
  }

 private:
  AttentionShape shape_{1, 1, 1, 2};
  std::vector<double> weights_;
};

}  // namespace

TEST_CASE("scissorhands: a plain reading of the rule keeps the same tokens") {
  for (const ScissorhandsRule& rule : {ScissorhandsRule{"pivotal", "top_k", 30, 10, 4, 1},
                                       ScissorhandsRule{"pivotal", "top_k", 400, 0, 0, 1},
                                       ScissorhandsRule{"attention", "top_k", 16, 6, 2, 1},
                                       ScissorhandsRule{"attention", "sample", 16, 3, 4, 0.5},
                                       ScissorhandsRule{"pivotal", "sample", 24, 8, 1, 4}})
    check_against_rule(*scissorhands(rule, 9), 60, 30, 110,
                       [&](const Case& c, const HeadRange& heads) {
                         return plain_scissorhands(c, heads, rule, 9);
                       });
}

TEST_CASE("scissorhands: draws follow the softmax of importance by temperature") {
  // One of three candidates is drawn. The last query alone counts: 0.5, 0.3, 0.1 of its attention.
  const SameRow given({0.5, 0.3, 0.1, 0.1});
  Case c;
  c.shape = given.shape();
  c.length = 4;
  c.attention = &given;
  c.options.budget = 2;
  const ScissorhandsRule rule{"attention", "sample", 1, 1, 0, 0.25};
  const auto policy = scissorhands(rule, 21);
  std::array<double, 3> counts{};
  for (c.round = 0; c.round < 6000; ++c.round)
    counts[c.keep(*policy).at(0).front()] += 1;
  const double a = std::exp(2.0), b = std::exp(1.2), d = std::exp(0.4), all = a + b + d;
  // Deviations below 0.0065; four of them.
  CHECK(counts[0] / 6000 == Approx(a / all).margin(0.026));
  CHECK(counts[1] / 6000 == Approx(b / all).margin(0.026));
  CHECK(counts[2] / 6000 == Approx(d / all).margin(0.026));
}

TEST_CASE("scissorhands: a temperature without a draw is the user's error") {
  CHECK_THROWS_WITH(scissorhands({"pivotal", "top_k", 8, 2, 2, 0.5}), Catch::Contains("choice"));
}
