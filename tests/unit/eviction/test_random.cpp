// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/eviction_round.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Chance that one aligned block holds no survivor: C(M - r, k) / C(M, k) for M chunks of which a
/// block holds r and k survive (spec policies §6.1, §6.2).
double empty_block_chance(double chunks, double per_block, double kept) {
  double chance = 1;
  for (double i = 0; i < per_block; ++i)
    chance *= (chunks - kept - i) / (chunks - i);
  return chance;
}

double mean_empty_blocks(std::uint32_t chunk, std::uint32_t seeds) {
  double empty = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    PolicyContext context;
    context.seed = seed;
    const auto policy = make_policy("random", {{"chunk_tokens", std::int64_t{chunk}}}, context);
    Case c;
    c.length = 16000;
    c.options.budget = 2000;
    std::set<std::uint32_t> blocks;
    const Tokens kept = c.keep(*policy).at(0);
    for (const std::uint32_t token : kept)
      blocks.insert(token / 16);
    empty += static_cast<double>(1000 - blocks.size());
  }
  return empty / seeds;
}

}  // namespace

TEST_CASE("random: the hypergeometric share of blocks is empty") {
  // F-1: 117.94 blocks, standard deviation 8.5 a seed.
  CHECK(1000 * empty_block_chance(16000, 16, 2000) == Approx(117.94).margin(0.01));
  const std::uint32_t seeds = scaled(60);
  CHECK(mean_empty_blocks(1, seeds) == Approx(117.94).margin(4 * 8.5 / std::sqrt(seeds)));
}

TEST_CASE("random chunks follow the hypergeometric law in units of chunks") {
  for (const std::uint32_t chunk : {2u, 4u, 8u}) {
    const double expected =
        1000 * empty_block_chance(16000.0 / chunk, 16.0 / chunk, 2000.0 / chunk);
    INFO("chunk " << chunk);
    CHECK(mean_empty_blocks(chunk, 20) == Approx(expected).margin(12));
  }
  CHECK(mean_empty_blocks(16, 2) == 875);
}

TEST_CASE("random chunks stay whole where the chunk divides the budget, and else one is cut") {
  const auto policy = make_policy("random", {{"chunk_tokens", std::int64_t{8}}});
  Case c;
  c.length = 256;
  c.options.budget = 64;
  const auto count_chunks = [](const Tokens& kept) {
    std::map<std::uint32_t, std::uint32_t> sizes;
    for (const std::uint32_t token : kept)
      ++sizes[token / 8];
    return sizes;
  };
  for (const auto& [chunk, size] : count_chunks(c.keep(*policy).at(0)))
    CHECK(size == 8);
  c.options.budget = 67;
  std::size_t cut = 0;
  for (const auto& [chunk, size] : count_chunks(c.keep(*policy).at(0)))
    if (size != 8) {
      ++cut;
      CHECK(size == 3);
    }
  CHECK(cut == 1);
}

TEST_CASE("random draws: the contract's counter, anew for every set, round and seed") {
  Case c;
  c.shape = {2, 4, 2, 8};
  c.scope = Scope::per_layer_per_head;
  c.options.budget = 16;
  const auto policy = make_policy("random");
  const auto sets = c.keep(*policy);
  REQUIRE(sets.size() == 4);
  CHECK(std::set<Tokens>(sets.begin(), sets.end()).size() == 4);

  // By definition: the 16 largest words 0 of philox(sequence, layer·H + head, round, token).
  for (std::uint32_t set = 0; set < 4; ++set) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> draws;
    for (std::uint32_t token = 0; token < 64; ++token)
      draws.emplace_back(philox4x32_10({3, set, 0, token}, philox_key(0))[0], token);
    std::sort(draws.rbegin(), draws.rend());
    std::set<std::uint32_t> expected;
    for (std::size_t i = 0; i < 16; ++i)
      expected.insert(draws[i].second);
    CHECK(sets[set] == Tokens(expected.begin(), expected.end()));
  }

  c.round = 1;
  CHECK(c.keep(*policy) != sets);
  c.round = 0;
  PolicyContext other;
  other.seed = 1;
  CHECK(c.keep(*make_policy("random", {}, other)) != sets);

  c.scope = Scope::per_layer;  // joined heads draw as the first of them
  CHECK(c.keep(*policy) == std::vector<Tokens>{sets[0], sets[2]});
  c.scope = Scope::per_head;
  CHECK(c.keep(*policy) == std::vector<Tokens>{sets[0], sets[1]});
  c.scope = Scope::model;
  CHECK(c.keep(*policy) == std::vector<Tokens>{sets[0]});
}
