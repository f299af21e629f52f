// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using Rows = std::vector<std::vector<double>>;

/// Softmax inside partition [first, first + lag) of the deviations over channels, each channel
/// scaled by its range in the next partition (spec policies §3.14; no range: 0).
std::vector<double> plain_part(const Rows& rows, std::size_t first, std::size_t lag) {
  const std::size_t dim = rows[0].size();
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = first; i < first + lag; ++i) {
    std::vector<double> scaled(dim);
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      double low = rows[first + lag][c], high = low;
      for (std::size_t j = first + lag; j < first + 2 * lag; ++j) {
        low = std::min(low, rows[j][c]);
        high = std::max(high, rows[j][c]);
      }
      if (high > low) scaled[c] = (rows[i][c] - low) / (high - low);
      mean += scaled[c] / static_cast<double>(dim);
    }
    for (const double x : scaled)
      variance += (x - mean) * (x - mean) / static_cast<double>(dim - 1);
    result.push_back(std::exp(std::sqrt(variance)));
    sum += result.back();
  }
  for (double& x : result)
    x /= sum;
  return result;
}

Tokens plain_lagkv(const Case& c, const HeadRange& heads, std::uint32_t sinks, std::uint32_t lag) {
  Tokens body;
  for (const std::uint32_t token : c.live)
    if (token >= sinks) body.push_back(token);
  const std::size_t offset = c.live.size() - body.size();
  auto scores = summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    std::vector<double> result(c.live.size(), 1.0);
    if (body.size() < 2 * lag) {
      for (std::size_t i = 0; i < body.size(); ++i)
        result[offset + i] = static_cast<double>(i) / static_cast<double>(body.size());
      return result;
    }
    Rows keys, values;
    for (const std::uint32_t token : body) {
      keys.push_back(key_of(*c.attention, layer, head, token));
      values.push_back(value_of(*c.attention, layer, head, token));
    }
    for (std::size_t first = 0; first + 2 * lag <= body.size(); first += lag) {
      const auto k = plain_part(keys, first, lag), v = plain_part(values, first, lag);
      for (std::size_t i = 0; i < lag; ++i) {
        // Rank: how many score lower; of equals the earlier one is the higher.
        double rank = 0;
        for (std::size_t j = 0; j < lag; ++j) {
          const double mine = (k[i] + v[i]) / 2, other = (k[j] + v[j]) / 2;
          if (other < mine || (other == mine && j > i)) rank += 1;
        }
        result[offset + first + i] = rank / lag;
      }
    }
    return result;
  });
  return plain_choice(c.live, scores, c.length, {sinks, 0}, c.options.budget);
}

/// What the default policy keeps of a source with one head.
Tokens kept_of(const SequenceAttention& attention, std::uint32_t budget) {
  Case c;
  c.shape = attention.shape();
  c.length = attention.length();
  c.options.budget = budget;
  c.attention = &attention;
  return c.keep(*make_policy("lagkv")).at(0);
}

/// Kept tokens of each full partition.
std::vector<std::uint32_t> partition_counts(const Tokens& kept, std::uint32_t length) {
  std::vector<std::uint32_t> counts((length - 4) / 128);
  for (const std::uint32_t token : kept)
    if (token >= 4 && (token - 4) / 128 < counts.size()) ++counts[(token - 4) / 128];
  return counts;
}

}  // namespace

TEST_CASE("lagkv: a plain reading of the rule keeps the same tokens") {
  for (const auto& [sinks, lag] : {std::pair{4u, 8u}, {0u, 5u}, {4u, 32u}, {2u, 1u}})
    check_against_rule(
        *make_policy("lagkv", {{"sinks", std::int64_t{sinks}}, {"lag", std::int64_t{lag}}}), 80, 8,
        200, [sinks = sinks, lag = lag](const Case& c, const HeadRange& heads) {
          return plain_lagkv(c, heads, sinks, lag);
        });
}

TEST_CASE("lagkv: a short cache keeps sinks and the last tokens") {
  Case c;
  c.length = 4 + 2 * 128 - 1;
  c.options.budget = 10;
  CHECK(c.keep(*make_policy("lagkv")).at(0) == Tokens{0, 1, 2, 3, 253, 254, 255, 256, 257, 258});
}

TEST_CASE("E-16: lagkv evicts evenly, the worst for blocks") {
  // 4 sinks, 16 partitions and a rest: half of the 15 scored partitions' tokens go.
  const std::uint32_t length = 4 + 16 * 128 + 20, scored = 15 * 128;
  const FakeAttention attention({1, 1, 1, 8}, length);
  const Tokens kept = kept_of(attention, length - scored / 2 - 7);
  const auto counts = partition_counts(kept, length);
  REQUIRE(counts.size() == 16);
  for (std::size_t partition = 0; partition < 15; ++partition)
    CHECK((counts[partition] == 63 || counts[partition] == 64));
  CHECK(counts[15] == 128);
  // Half of the tokens gone, and every block of 16 still holds one.
  std::set<std::uint32_t> held;
  for (const std::uint32_t token : kept)
    held.insert(token / 16);
  CHECK(held.size() == (length + 15) / 16);
}

TEST_CASE("E-17: a channel without range in the next partition gives no NaN") {
  // Channel 1 never moves; channel 0 does. Every rank is defined, and no partition is lost.
  GivenVectors::Rows rows;
  for (std::uint32_t token = 0; token < 4 + 4 * 128; ++token)
    rows.push_back({static_cast<float>((token * 37) % 101), 3.0f, -1.0f});
  const GivenVectors one_channel(rows, rows);
  const Tokens moved = kept_of(one_channel, 4 + 128 + 3 * 40);
  CHECK(partition_counts(moved, one_channel.length()) ==
        std::vector<std::uint32_t>{40, 40, 40, 128});
  // Nothing moves at all: ties fall to the first tokens of each partition.
  const GivenVectors still(GivenVectors::Rows(4 + 3 * 128, {1, 2}),
                           GivenVectors::Rows(4 + 3 * 128, {0, 0}));
  const Tokens kept = kept_of(still, 4 + 128 + 2 * 3);
  CHECK(Tokens(kept.begin(), kept.begin() + 10) == Tokens{0, 1, 2, 3, 4, 5, 6, 132, 133, 134});
}
