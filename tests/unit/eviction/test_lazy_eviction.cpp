// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<EvictionPolicy> lazy(std::uint32_t window, double alpha,
                                     const std::string& combine) {
  return make_policy("lazy_eviction",
                     {{"window", std::int64_t{window}}, {"alpha", alpha}, {"combine", combine}});
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Spec policies §3.18, from the list of queries for which the token was active.
std::vector<double> plain_recurrence(const Case& c, std::uint32_t layer, std::uint32_t head,
                                     double alpha, const std::string& combine) {
  std::vector<double> result;
  const std::uint32_t group = c.shape.group();
  for (const std::uint32_t token : c.live) {
    std::vector<std::uint32_t> active{token};
    for (std::uint32_t query = token; query < c.length; ++query) {
      double most = 0;
      for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
        most = std::max(most, weights_of(*c.attention, layer, q, query)[token]);
      if (most > alpha) active.push_back(query);
    }
    std::uint32_t longest = 0;
    for (std::size_t i = 1; i < active.size(); ++i)
      longest = std::max(longest, active[i] - active[i - 1]);
    const double rest = c.length - 1 - active.back(), mri = longest;
    double h1 = rest > 0 ? 0 : 1, h2 = 0;
    if (longest > 0) h1 = 2 * sigmoid(-rest / mri), h2 = 2 * sigmoid(-1 / mri);
    result.push_back(combine == "sum" ? h1 + h2 : h1 * h2);
  }
  return result;
}

/// Attention that is all on one token a query.
class OneToken final : public SequenceAttention {
 public:
  explicit OneToken(Tokens looked_at) : looked_at_(std::move(looked_at)) {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return static_cast<std::uint32_t>(looked_at_.size()); }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t query,
               std::span<float> row) const override {
    std::fill(row.begin(), row.end(), 0.0f);
    row[looked_at_[query]] = 1;
  }

 private:
  AttentionShape shape_{1, 1, 1, 2};
  Tokens looked_at_;
};

}  // namespace

TEST_CASE("lazy_eviction: a plain reading of the rule keeps the same tokens") {
  for (const auto& [window, alpha, combine] :
       {std::tuple{10u, 0.05, "product"}, {0u, 0.02, "sum"}, {20u, 0.1, "product"}})
    check_against_rule(
        *lazy(window, alpha, combine), 60, 25, 110,
        [window = window, alpha = alpha, combine = combine](const Case& c, const HeadRange& heads) {
          const auto scores = summed_scores(heads, c.live.size(), [&](auto layer, auto head) {
            return plain_recurrence(c, layer, head, alpha, combine);
          });
          return plain_choice(c.live, scores, c.length, {0, window}, c.options.budget);
        });
}

TEST_CASE(
    "lazy_eviction: a token that rests as long as it used to stays before one that overslept") {
  // Token 1 is looked at every 4 queries, token 2 every 2 until query 7: both rested 3 and 5 by
  // query 12. Token 0 never since.
  const OneToken given({0, 1, 2, 3, 2, 1, 2, 2, 3, 1, 3, 11, 3});
  Case c;
  c.shape = given.shape();
  c.length = 13;
  c.attention = &given;
  c.options.budget = 2;
  // Token 3 was looked at by the last query: H1 = 1; MRI 5. Token 1: rest 3, MRI 4. Token 2: rest
  // 5, MRI 2. Token 3 and 1 stay.
  CHECK(c.keep(*lazy(0, 0.5, "product")).at(0) == Tokens{1, 3});
}

TEST_CASE("lazy_eviction: MRI 0 has a defined score, and an earlier token wins a tie") {
  // Nothing is ever looked at but token 0, by each query.
  const OneToken given(Tokens(12, 0));
  Case c;
  c.shape = given.shape();
  c.length = 12;
  c.attention = &given;
  c.options.budget = 4;
  CHECK(c.keep(*lazy(0, 0.5, "product")).at(0) == Tokens{0, 1, 2, 3});
  // By the sum the newest token counts: H1 = 1 as long as it is at its own position.
  CHECK(c.keep(*lazy(0, 0.5, "sum")).at(0) == Tokens{0, 1, 2, 11});
}
