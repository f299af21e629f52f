// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/eviction/attention_memory.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

Tokens best_of(std::vector<double> scores, std::size_t count) {
  Tokens order = first_tokens(static_cast<std::uint32_t>(scores.size()));
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return scores[a] > scores[b]; });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

TEST_CASE("streaming_llm: sinks and the last tokens fill the budget") {
  Case c;
  c.options.budget = 10;
  CHECK(c.keep(*make_policy("streaming_llm")).at(0) == Tokens{0, 1, 2, 3, 58, 59, 60, 61, 62, 63});
  CHECK(c.keep(*make_policy("streaming_llm", {{"sinks", std::int64_t{0}}})).at(0).front() == 54);
}

// Spec policies §3.1: floor(b/B) - ceil(a/B) blocks of an evicted range [a, b); published U-3.
TEST_CASE("streaming_llm: blocks inside the evicted range are empty, both edges pinned") {
  for (const auto& [budget, blocks] : {std::pair{32u, 29u}, {64u, 27u}, {128u, 23u}, {256u, 15u}}) {
    Case c;
    c.length = 512;
    c.options.budget = budget;
    std::vector<bool> held(32);
    const Tokens kept = c.keep(*make_policy("streaming_llm")).at(0);
    for (const std::uint32_t token : kept)
      held[token / 16] = true;
    CHECK(std::count(held.begin(), held.end(), false) == blocks);
  }
}

// The public class keeps the sinks only when an append is larger than its window.
TEST_CASE("E-01: streaming_llm, an append larger than the window leaves sinks and newest tokens") {
  Case c;
  c.options.budget = 8;
  c.live = {0, 1, 2, 3, 4, 5, 6, 7, 40, 41, 42, 43, 44, 45, 46, 47};
  c.length = 48;
  CHECK(c.keep(*make_policy("streaming_llm")).at(0) == Tokens{0, 1, 2, 3, 44, 45, 46, 47});
}

TEST_CASE("h2o: half recent, half by attention from all queries") {
  Case c;
  c.options.budget = 16;
  const FakeAttention attention(c.shape, c.length);
  std::vector<double> sums(64);
  for (std::uint32_t head = 0; head < 2; ++head)
    for (std::uint32_t query = 0; query < 64; ++query) {
      std::vector<float> row(query + 1);
      attention.weights(0, head, query, row);
      for (std::size_t j = 0; j < row.size(); ++j)
        sums[j] += double{row[j]};
    }
  Tokens expected = best_of(std::vector<double>(sums.begin(), sums.begin() + 56), 8);
  for (std::uint32_t token = 56; token < 64; ++token)
    expected.push_back(token);
  CHECK(c.keep(*make_policy("h2o")).at(0) == expected);
}

TEST_CASE("E-02: h2o without a recent part protects nothing and loses no score") {
  Case c;
  c.options.budget = 16;
  AttentionMemory memory(c.shape, {});
  memory.advance(FakeAttention(c.shape, c.length), c.length);
  std::vector<double> sums(64);
  memory.add_scores(0, 0, first_tokens(64), sums);
  CHECK(c.keep(*make_policy("h2o", {{"recent_share", 0.0}})).at(0) == best_of(sums, 16));
}

// The public real-drop class takes the head dimension for the length when it makes room.
TEST_CASE("E-03: what h2o drops follows from the length, whatever the head dimension") {
  Case c;
  c.options.budget = 16;
  const auto policy = make_policy("h2o");
  const auto kept = c.keep(*policy);
  CHECK(kept.at(0).size() == 16);
  for (const std::uint32_t head_dim : {2u, 16u, 64u, 128u}) {
    c.shape.head_dim = head_dim;
    CHECK(c.keep(*policy) == kept);
  }
}

TEST_CASE("coarser scopes sum the scores of the sets that they join") {
  const AttentionShape shape{2, 4, 2, 8};
  const FakeAttention attention(shape, 64);
  AttentionMemory memory(shape, {});
  memory.advance(attention, 64);
  const auto joined = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>>& heads) {
    std::vector<double> sums(64, 0.0);
    for (const auto& [layer, head] : heads)
      memory.add_scores(layer, head, first_tokens(64), sums);
    return best_of(sums, 20);
  };
  Case c;
  c.shape = shape;
  c.options.budget = 20;
  const auto policy = make_policy("h2o", {{"recent_share", 0.0}});
  c.scope = Scope::model;
  CHECK(c.keep(*policy) == std::vector<Tokens>{joined({{0, 0}, {0, 1}, {1, 0}, {1, 1}})});
  c.scope = Scope::per_layer;
  CHECK(c.keep(*policy) == std::vector<Tokens>{joined({{0, 0}, {0, 1}}), joined({{1, 0}, {1, 1}})});
  c.scope = Scope::per_head;
  CHECK(c.keep(*policy) == std::vector<Tokens>{joined({{0, 0}, {1, 0}}), joined({{0, 1}, {1, 1}})});
  c.scope = Scope::per_layer_per_head;
  CHECK(c.keep(*policy) == std::vector<Tokens>{joined({{0, 0}}), joined({{0, 1}}), joined({{1, 0}}),
                                               joined({{1, 1}})});
}

TEST_CASE("block_h2o: whole blocks by mean score and the newest; 1 - K/T of the blocks are empty") {
  Case c;
  c.length = 512;
  c.options.budget = 64;
  const Tokens kept = c.keep(*make_policy("block_h2o")).at(0);
  REQUIRE(kept.size() == 64);  // U-4
  CHECK(kept.back() == 511);
  for (std::size_t i = 0; i < kept.size(); i += 16) {
    CHECK(kept[i] % 16 == 0);
    CHECK(kept[i + 15] == kept[i] + 15);
  }
  AttentionMemory memory(c.shape, {});
  memory.advance(FakeAttention(c.shape, 512), 512);
  std::vector<double> scores(512), blocks(31);
  memory.add_scores(0, 0, first_tokens(512), scores);
  for (std::size_t token = 0; token < 31 * 16; ++token)
    blocks[token / 16] += scores[token];
  Tokens expected = best_of(blocks, 3);
  expected.push_back(31);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(kept[16 * i] / 16 == expected[i]);
}

TEST_CASE("knorm: the keys of smallest norm, also over a cache with holes") {
  Case c;
  c.length = 600;
  c.live = tokens_with_holes(600);
  c.options.budget = 50;
  const FakeAttention attention(c.shape, c.length);
  std::vector<double> scores;
  for (const std::uint32_t token : c.live) {
    std::vector<float> key(8);
    attention.keys(0, 0, token, key);
    double squares = 0;
    for (const float x : key)
      squares += double{x} * double{x};
    scores.push_back(-std::sqrt(squares));
  }
  Tokens expected;
  for (const std::uint32_t i : best_of(scores, 50))
    expected.push_back(c.live[i]);
  CHECK(c.keep(*make_policy("knorm")).at(0) == expected);
}

TEST_CASE("sliding_window and rolling_buffer: the last tokens, also beside holes") {
  for (const std::string name : {"sliding_window", "rolling_buffer"}) {
    Case c;
    c.options.budget = 10;
    CHECK(c.keep(*make_policy(name)).at(0) == Tokens{54, 55, 56, 57, 58, 59, 60, 61, 62, 63});
    c.live = tokens_with_holes(64);
    CHECK(c.keep(*make_policy(name)).at(0) == Tokens(c.live.end() - 10, c.live.end()));
    c.options.protect.sinks = 1;
    CHECK(c.keep(*make_policy(name)).at(0).front() == c.live.front());
  }
}

TEST_CASE("full keeps everything") {
  Case c;
  c.options.budget = 1;
  CHECK(c.keep(*make_policy("full")).at(0) == first_tokens(64));
}
