// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Squared attention of the prompt's last queries, pooled, then of all later ones (spec policies
/// §3.21), token by token.
std::vector<double> plain_metric(const Case& c, const HeadRange& heads, const Tokens& live,
                                 std::uint32_t observed, std::uint32_t kernel) {
  return summed_scores(heads, live.size(), [&](std::uint32_t layer, std::uint32_t head) {
    const std::uint32_t group = c.shape.group();
    const auto squares = [&](std::uint32_t token, std::uint32_t first, std::uint32_t last) {
      double sum = 0;
      for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
        for (std::uint32_t query = std::max(first, token); query < last; ++query) {
          const double weight = weights_of(*c.attention, layer, q, query)[token];
          sum += weight * weight;
        }
      return sum;
    };
    const std::uint32_t first = c.prompt - std::min(c.prompt, observed);
    std::vector<double> prompt;
    for (std::uint32_t token = 0; token < c.prompt; ++token)
      prompt.push_back(squares(token, first, c.prompt));
    std::vector<double> metric;
    for (const std::uint32_t token : live) {
      double best = 0;
      for (std::uint32_t near = token - std::min(token, kernel / 2);
           token < c.prompt && near <= token + kernel / 2 && near < c.prompt; ++near)
        best = std::max(best, prompt[near]);
      metric.push_back(best + squares(token, c.prompt, c.length));
    }
    return metric;
  });
}

/// One ascending walk over the candidates of all sets, counting down to each set's next free block,
/// until enough blocks are free; then every set is cut to whole blocks.
std::vector<std::size_t> plain_walk(const Case& c, const std::vector<PlainSet>& sets) {
  const std::size_t b = c.block_size;
  const auto blocks = [&](std::size_t tokens) { return (tokens + b - 1) / b; };
  std::size_t held = 0, allowed = 0;
  std::vector<std::pair<double, std::size_t>> walk;
  std::vector<std::size_t> next, gone(sets.size()), whole(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t tokens = sets[set].live.size();
    held += blocks(tokens);
    allowed += blocks(sets[set].keep);
    next.push_back(tokens % b == 0 ? b : tokens % b);  // hanging
    for (const double score : sets[set].open_scores())
      walk.emplace_back(score, set);
  }
  std::sort(walk.begin(), walk.end());
  std::size_t wanted = held - std::min(held, allowed);
  for (std::size_t i = 0; i < walk.size() && wanted > 0; ++i) {
    const std::size_t set = walk[i].second;
    ++gone[set];
    if (--next[set] > 0) continue;
    next[set] = b;
    whole[set] = gone[set];
    --wanted;
  }
  std::vector<std::size_t> shares;
  for (std::size_t set = 0; set < sets.size(); ++set)
    shares.push_back(sets[set].live.size() - whole[set]);
  return shares;
}

}  // namespace

TEST_CASE("kv_compress: a plain walk over all heads keeps the same tokens") {
  for (const auto& [window, observed, kernel] :
       {std::tuple{0u, 32u, 7u}, {4u, 3u, 1u}, {9u, 8u, 3u}})
    check_shares(
        *make_policy("kv_compress", {{"window", std::int64_t{window}},
                                     {"prefill_queries", std::int64_t{observed}},
                                     {"kernel", std::int64_t{kernel}}}),
        100, 20, 90,
        [observed = observed, kernel = kernel](const Case& c, const HeadRange& heads,
                                               const Tokens& live) {
          return plain_metric(c, heads, live, observed, kernel);
        },
        plain_walk);
}

TEST_CASE(
    "E-22: kv_compress cuts every head to whole blocks, and a head with too few candidates "
    "frees nothing") {
  const FakeAttention attention({2, 4, 2, 0}, 100, 5);
  Case c;
  c.shape = attention.shape();
  c.scope = Scope::per_layer_per_head;
  c.length = 100;
  c.attention = &attention;
  c.options.budget = 48;  // 7 blocks of 16 hold 100 tokens: 4 * (7 - 3) have to go
  std::size_t blocks = 0;
  for (const Tokens& kept : c.keep(*make_policy("kv_compress", {{"window", std::int64_t{8}}}))) {
    CHECK((kept.size() == 100 || kept.size() % 16 == 0));
    blocks += (kept.size() + 15) / 16;
  }
  CHECK(blocks == 4 * 3);

  // Head 0 holds 20 tokens, of which 17 are in the window: 3 candidates, and its last block has 4.
  c.lives.assign(4, first_tokens(100));
  c.lives[0] = first_tokens(3);
  for (std::uint32_t token = 83; token < 100; ++token)
    c.lives[0].push_back(token);
  const auto kept = c.keep(*make_policy("kv_compress", {{"window", std::int64_t{17}}}));
  REQUIRE(kept.size() == 4);
  CHECK(kept[0] == c.lives[0]);
  CHECK(kept[1].size() + kept[2].size() + kept[3].size() == 10 * 16);
}
