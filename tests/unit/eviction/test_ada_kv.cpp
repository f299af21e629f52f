// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct Rule {
  double alpha = 0.2;
  bool normalize = false, max_group = false;
  std::uint32_t skip = 0, window = 4, kernel = 7;
};

std::vector<double> weighed(std::vector<double> scores, std::size_t best) {
  auto sorted = scores;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  sorted.resize(std::min(best, sorted.size()));
  const double top = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  if (all > 0)
    for (double& score : scores)
      score *= top / all;
  return scores;
}

/// Shares before they are cut to what a head has: spec policies §3.6, layer by layer.
std::vector<std::size_t> plain_shares(const Rule& rule, const std::vector<PlainSet>& sets) {
  std::vector<std::size_t> shares(sets.size());
  for (std::size_t first = 0, last = 0; first < sets.size(); first = last) {
    std::vector<std::vector<double>> scores;
    std::size_t room = 0;
    for (; last < sets.size() && sets[last].heads.first_layer == sets[first].heads.first_layer;
         ++last) {
      scores.push_back(sets[last].open_scores());
      if (rule.normalize) scores.back() = weighed(scores.back(), sets[last].room());
      room += sets[last].room();
    }
    const auto counts = plain_counts(scores, room);
    for (std::size_t set = first; set < last; ++set) {
      const auto c = static_cast<double>(sets[set].room());
      const double own =
          static_cast<double>(counts[set - first]) * (1 - rule.alpha) + std::floor(c * rule.alpha);
      const double cap = sets[set].heads.last_layer <= rule.skip ? c : std::nearbyint(own);
      shares[set] = sets[set].guards() + static_cast<std::size_t>(cap);
    }
  }
  return shares;
}

/// One layer whose heads pay their first peaks[head] tokens ten times the attention of any other.
class PeakedHeads final : public SequenceAttention {
 public:
  PeakedHeads(std::vector<std::uint32_t> peaks, std::uint32_t length)
      : peaks_(std::move(peaks)),
        length_(length),
        shape_{1, static_cast<std::uint32_t>(peaks_.size()),
               static_cast<std::uint32_t>(peaks_.size()), 0} {}
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return length_; }
  void weights(std::uint32_t, std::uint32_t head, std::uint32_t,
               std::span<float> row) const override {
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = j < peaks_[head] ? 10.0f : 1.0f;
  }

 private:
  std::vector<std::uint32_t> peaks_;
  std::uint32_t length_;
  AttentionShape shape_;
};

}  // namespace

TEST_CASE("ada_kv: a plain reading of the rule keeps the same tokens") {
  for (const Rule& rule : {Rule{}, Rule{0.5, true, false, 0, 4, 3}, Rule{0.0, false, true, 1, 1, 1},
                           Rule{1.0, false, false, 0, 4, 1}, Rule{0.35, true, true, 0, 8, 5}})
    check_shares(
        *make_policy("ada_kv", {{"alpha", rule.alpha},
                                {"normalize", rule.normalize},
                                {"group", std::string(rule.max_group ? "max" : "mean")},
                                {"skip", std::int64_t{rule.skip}},
                                {"window", std::int64_t{rule.window}},
                                {"kernel", std::int64_t{rule.kernel}}}),
        100, 20, 90,
        [&](const Case& c, const HeadRange& heads, const Tokens& live) {
          return plain_window_scores(c, heads, live, rule.window, rule.kernel, true,
                                     rule.max_group);
        },
        [&](const Case&, const std::vector<PlainSet>& sets) { return plain_shares(rule, sets); });
}

// A head keeps round(count * 0.8 + int(C * 0.2)): the sum misses Hs * C by up to half a token a
// head, beside what int() cuts.
TEST_CASE("E-08: ada_kv's heads round, and their sum is not the layer's budget") {
  // Window 1, C = 9, 4 heads: the best 36 tokens of the layer are the peaks of all heads.
  const std::uint32_t length = 65;
  const PeakedHeads attention({20, 12, 3, 1}, length);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.length = length;
  c.attention = &attention;
  c.options.budget = 10;
  const auto kept =
      c.keep(*make_policy("ada_kv", {{"window", std::int64_t{1}}, {"kernel", std::int64_t{1}}}));
  REQUIRE(kept.size() == 4);
  // int(9 * 0.2) = 1; 0.8 * count + 1 = 17, 10.6, 3.4, 1.8 -> 17, 11, 3, 2, and the window.
  CHECK(kept[0].size() == 1 + 17);
  CHECK(kept[1].size() == 1 + 11);
  CHECK(kept[2].size() == 1 + 3);
  CHECK(kept[3].size() == 1 + 2);
  CHECK(17 + 11 + 3 + 2 != 4 * 9);

  // In general: |sum - (Hs * C - what int() cuts)| <= Hs / 2.
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t heads = 1 + random.below(8), budget = 5 + random.below(40);
    const FakeAttention made({1, heads, heads, 0}, 120, random.below(1000));
    c.shape = made.shape();
    c.length = 120;
    c.attention = &made;
    c.options.budget = budget;
    std::size_t sum = 0;
    for (const Tokens& head :
         c.keep(*make_policy("ada_kv", {{"window", std::int64_t{2}}, {"kernel", std::int64_t{1}}})))
      sum += head.size() - 2;
    const double room = budget - 2, cut = room * 0.2 - std::floor(room * 0.2);
    CHECK(std::abs(static_cast<double>(sum) - heads * (room - cut)) <= heads / 2.0 + 1e-9);
  }
}
