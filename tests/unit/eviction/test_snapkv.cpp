// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/units/error.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Attention to token j in proportion to given weights, the same for every query and head.
class GivenAttention final : public SequenceAttention {
 public:
  explicit GivenAttention(std::vector<double> weights) : given_(std::move(weights)) {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return static_cast<std::uint32_t>(given_.size()); }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> row) const override {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      sum += given_[j];
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = static_cast<float>(given_[j] / sum);
  }

 private:
  AttentionShape shape_{1, 1, 1, 0};
  std::vector<double> given_;
};

Tokens snapkv(const std::vector<double>& weights, std::uint32_t budget, std::int64_t window,
              std::int64_t kernel, const char* pooling) {
  const auto policy = make_policy(
      "snapkv", {{"window", window}, {"kernel", kernel}, {"pooling", std::string(pooling)}});
  Case c;
  c.shape = {1, 1, 1, 0};
  c.length = static_cast<std::uint32_t>(weights.size());
  c.options.budget = budget;
  const GivenAttention attention(weights);
  c.attention = &attention;
  const auto kept = c.keep(*policy);
  return kept.empty() ? Tokens{} : kept[0];
}

}  // namespace

TEST_CASE("snapkv: the window stays, the rest by its attention") {
  CHECK(snapkv({1, 5, 1, 4, 1, 1, 9, 1, 1, 1}, 5, 2, 1, "avg") == Tokens{1, 3, 6, 8, 9});
  // A weight inside the window gives its token no second place.
  CHECK(snapkv({3, 1, 2, 1, 100, 1}, 4, 2, 1, "avg") == Tokens{0, 2, 4, 5});
}

TEST_CASE("snapkv: pooling spreads a peak to its neighbours") {
  // Maximum over 3: tokens 3, 4, 5 all have the peak's value.
  CHECK(snapkv({1, 1, 2, 1, 9, 1, 2, 1, 1, 1}, 5, 2, 3, "max") == Tokens{3, 4, 5, 8, 9});
  // Average over 3: 3 and 5 are worth 4, 12/3; 2 and 6 less.
  CHECK(snapkv({1, 1, 2, 1, 9, 1, 2, 1, 1, 1}, 5, 2, 3, "avg") == Tokens{3, 4, 5, 8, 9});
}

// Zero padding attenuates an average at both ends; a maximum pads with nothing.
TEST_CASE("E-05: snapkv: edges of the pooling") {
  // All candidates equal: token 0 and the last candidate average over two thirds only.
  CHECK(snapkv({1, 1, 1, 1, 1, 1, 1}, 5, 2, 3, "avg") == Tokens{1, 2, 3, 5, 6});
  CHECK(snapkv({1, 1, 1, 1, 1, 1, 1}, 5, 2, 3, "max") == Tokens{0, 1, 2, 5, 6});
}

// The public code "compresses" P = cap into a permutation of itself.
TEST_CASE("E-06: snapkv: a cache no longer than the budget is not evicted from") {
  const auto policy = make_policy("snapkv");
  EvictorOptions options;
  options.budget = 64;
  const Evictor evictor(*policy, options, CacheLayout(1, 1, TableKind::shared, Scope::model), 16);
  CHECK_FALSE(evictor.can_evict(64, 64));
  CHECK(evictor.can_evict(65, 64));
}

TEST_CASE("snapkv: softmax runs over live tokens only") {
  // Each query's row sums to 1 over what is live: removing a heavy token changes no ranking, but
  // queries weigh the same however much of their attention is gone.
  const auto policy =
      make_policy("snapkv", {{"window", std::int64_t{2}}, {"kernel", std::int64_t{1}}});
  Case c;
  c.length = 32;
  c.options.budget = 10;
  c.live = tokens_with_holes(32);
  const FakeAttention attention(c.shape, c.length);
  std::vector<std::pair<double, std::uint32_t>> scores;
  for (const std::uint32_t token : c.live) {
    if (token >= 30) continue;
    double score = 0;
    for (std::uint32_t head = 0; head < 2; ++head)
      for (std::uint32_t query = 30; query < 32; ++query) {
        std::vector<float> row(query + 1);
        attention.weights(0, head, query, row);
        double mass = 0;
        for (const std::uint32_t other : c.live)
          if (other <= query) mass += double{row[other]};
        score += double{row[token]} / mass;
      }
    scores.emplace_back(-score, token);
  }
  std::sort(scores.begin(), scores.end());
  const std::size_t in_window = static_cast<std::size_t>(
      std::count_if(c.live.begin(), c.live.end(), [](auto t) { return t >= 30; }));
  Tokens expected;
  for (std::size_t i = 0; i < 10 - in_window; ++i)
    expected.push_back(scores[i].second);
  for (const std::uint32_t token : c.live)
    if (token >= 30) expected.push_back(token);
  std::sort(expected.begin(), expected.end());
  CHECK(c.keep(*policy).at(0) == expected);
}

TEST_CASE("snapkv: an even kernel has no centre") {
  CHECK_THROWS_AS(make_policy("snapkv", {{"kernel", std::int64_t{4}}}), UserError);
}
