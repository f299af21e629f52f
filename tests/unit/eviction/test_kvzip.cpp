// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::vector<double> reread_scores(const Case& c, const HeadRange& heads, const Tokens& live) {
  return summed_scores(heads, live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> maxima(c.length), scores;
    c.attention->reread_maxima(layer, head, maxima);
    for (const std::uint32_t token : live)
      scores.push_back(maxima[token]);
    return scores;
  });
}

/// All sets, or those of a layer, keep the best tokens of them all.
std::vector<std::size_t> plain_shares(const std::vector<PlainSet>& sets, bool layerwise) {
  std::vector<std::size_t> shares;
  for (std::size_t first = 0; first < sets.size(); first = shares.size()) {
    std::vector<std::vector<double>> scores;
    std::size_t room = 0, last = first;
    for (; last < sets.size() &&
           (!layerwise || sets[last].heads.first_layer == sets[first].heads.first_layer);
         ++last) {
      scores.push_back(sets[last].open_scores());
      room += sets[last].room();
    }
    const auto counts = plain_counts(scores, room);
    for (std::size_t set = first; set < last; ++set)
      shares.push_back(sets[set].guards() + counts[set - first]);
  }
  return shares;
}

}  // namespace

TEST_CASE("kvzip: a plain reading of the rule keeps the same tokens") {
  for (const bool layerwise : {false, true})
    check_shares(*make_policy("kvzip", {{"layerwise", layerwise}}), 150, 10, 90, reread_scores,
                 [layerwise](const Case&, const std::vector<PlainSet>& sets) {
                   return plain_shares(sets, layerwise);
                 });
}

namespace {

/// Every token but the last ten gets the same attention, these ten get none.
class FlatReading final : public SequenceAttention {
 public:
  const AttentionShape& shape() const override { return shape_; }
  void advance(std::uint32_t) override {}
  std::uint32_t length() const override { return 64; }
  void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float>) const override {}
  void reread_maxima(std::uint32_t, std::uint32_t, std::span<double> maxima) const override {
    std::fill(maxima.begin(), maxima.end() - 10, 0.25);
    std::fill(maxima.end() - 10, maxima.end(), 0.0);
  }

 private:
  AttentionShape shape_{2, 2, 2, 0};
};

std::size_t total(const std::vector<Tokens>& sets) {
  std::size_t sum = 0;
  for (const Tokens& set : sets)
    sum += set.size();
  return sum;
}

}  // namespace

// The port leaves what stands between the sinks and the end of a chat template without a score, 0.
TEST_CASE("E-10: every token has a score of its own; only what nobody looks at goes first") {
  const FlatReading attention;
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.attention = &attention;
  c.options.budget = 54;
  for (const Tokens& kept : c.keep(*make_policy("kvzip")))
    CHECK(kept == first_tokens(54));
}

// The repository keeps scores strictly above the n-th value: one fewer, with ties many fewer.
TEST_CASE("E-11: exactly as many stay as may, ties or not") {
  const FlatReading attention;
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.attention = &attention;
  for (const std::uint32_t budget : {5u, 20u, 53u, 60u}) {
    c.options.budget = budget;
    CHECK(total(c.keep(*make_policy("kvzip"))) == 4 * budget);
  }
  const FakeAttention distinct({2, 2, 2, 0}, 64);
  c.attention = &distinct;
  c.options.budget = 20;
  CHECK(total(c.keep(*make_policy("kvzip"))) == 80);
}
