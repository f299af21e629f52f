// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/attention_memory.hpp"

#include <catch2/catch.hpp>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr MemoryKind kinds[] = {MemoryKind::sum, MemoryKind::ema, MemoryKind::per_age,
                                MemoryKind::window};

MemoryOptions options_of(MemoryKind kind) {
  return {kind, 5.0, 7};
}

/// The score of every token after `length` queries, by its definition.
std::vector<double> plain_memory(const SequenceAttention& attention, std::uint32_t layer,
                                 std::uint32_t head, std::uint32_t length, MemoryOptions options) {
  const std::uint32_t group = attention.shape().group();
  std::vector<double> scores(length);
  for (std::uint32_t token = 0; token < length; ++token)
    for (std::uint32_t query = token; query < length; ++query) {
      double received = 0;
      for (std::uint32_t q = head * group; q < (head + 1) * group; ++q)
        received += weights_of(attention, layer, q, query)[token];
      const double ago = length - 1 - query;
      switch (options.memory) {
        case MemoryKind::sum:
          scores[token] += received;
          break;
        case MemoryKind::ema:
          scores[token] += received * std::pow(2.0, -ago / options.half_life);
          break;
        case MemoryKind::per_age:
          scores[token] += received / (length - token);
          break;
        case MemoryKind::window:
          if (ago < options.memory_window) scores[token] += received;
          break;
        case MemoryKind::future:
          break;  // has a case of its own
      }
    }
  return scores;
}

}  // namespace

TEST_CASE("attention memory: each kind is its definition, and in steps the same as at once") {
  const AttentionShape shape{2, 4, 2, 8};
  const FakeAttention attention(shape, 50);
  for (const MemoryKind kind : kinds) {
    INFO(enum_name(kind));
    AttentionMemory steps(shape, options_of(kind)), at_once(shape, options_of(kind));
    for (const std::uint32_t length : {7u, 7u, 3u, 31u, 50u})
      steps.advance(attention, length);
    at_once.advance(attention, 50);
    CHECK(steps.length() == 50);
    for (std::uint32_t layer = 0; layer < 2; ++layer)
      for (std::uint32_t head = 0; head < 2; ++head) {
        const auto expected = plain_memory(attention, layer, head, 50, options_of(kind));
        std::vector<double> a(50), b(50);
        steps.add_scores(layer, head, first_tokens(50), a);
        at_once.add_scores(layer, head, first_tokens(50), b);
        double total = 0;
        for (std::size_t j = 0; j < 50; ++j) {
          CHECK(a[j] == Approx(expected[j]).epsilon(1e-12));
          CHECK(b[j] == Approx(expected[j]).epsilon(1e-12));
          total += a[j];
        }
        // Two query heads, 50 rows that sum to 1, of which the window sees 7.
        if (kind == MemoryKind::sum) CHECK(total == Approx(2 * 50).epsilon(1e-5));
        if (kind == MemoryKind::window) CHECK(total == Approx(2 * 7).epsilon(1e-5));
      }
  }
}

TEST_CASE("attention memory: only the tokens asked for, in their order, added") {
  const AttentionShape shape{1, 2, 1, 8};
  const FakeAttention attention(shape, 40);
  AttentionMemory memory(shape, {});
  memory.advance(attention, 40);
  std::vector<double> all(40), some{1, 2};
  memory.add_scores(0, 0, first_tokens(40), all);
  memory.add_scores(0, 0, Tokens{9, 3}, some);
  CHECK(some[0] == 1 + all[9]);
  CHECK(some[1] == 2 + all[3]);
}

TEST_CASE("block_h2o: whole blocks by the memory that the user chose") {
  for (const MemoryKind kind : kinds) {
    INFO(enum_name(kind));
    Case c;
    c.shape = {1, 2, 1, 8};
    c.length = 96;
    c.options.budget = 48;
    const FakeAttention attention(c.shape, c.length);
    const auto scores = plain_memory(attention, 0, 0, c.length, options_of(kind));
    std::vector<double> blocks(5);
    for (std::size_t token = 0; token < 80; ++token)
      blocks[token / 16] += scores[token];
    Tokens expected;
    for (const std::uint32_t block : plain_choice(first_tokens(5), blocks, 5, {}, 2))
      for (std::uint32_t token = 0; token < 16; ++token)
        expected.push_back(16 * block + token);
    for (std::uint32_t token = 80; token < 96; ++token)
      expected.push_back(token);
    std::map<std::string, ParameterValue> changes{{"memory", std::string(enum_name(kind))}};
    if (kind == MemoryKind::ema) changes["half_life"] = 5.0;
    if (kind == MemoryKind::window) changes["memory_window"] = std::int64_t{7};
    CHECK(c.keep(*make_policy("block_h2o", changes)).at(0) == expected);
  }
  CHECK_THROWS_AS(make_policy("block_h2o", {{"half_life", 5.0}}), UserError);
  CHECK_THROWS_AS(make_policy("block_h2o",
                              {{"memory", std::string("ema")}, {"memory_window", std::int64_t{7}}}),
                  UserError);
}
