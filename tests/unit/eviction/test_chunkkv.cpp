// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Keys of given norms: the base score of knorm is minus the norm.
GivenVectors of_norms(const std::vector<float>& norms) {
  GivenVectors::Rows rows;
  for (const float norm : norms)
    rows.push_back({norm, 0});
  return {rows, rows};
}

Tokens chunkkv(const SequenceAttention& attention, std::uint32_t budget, std::int64_t length) {
  Case c;
  c.shape = attention.shape();
  c.length = attention.length();
  c.options.budget = budget;
  c.attention = &attention;
  return c.keep(*make_policy("chunkkv", {{"base", std::string("knorm")}, {"chunk_length", length}}))
      .at(0);
}

/// Spec policies §3.16 over scores of knorm, with our rules of what fits in the budget.
Tokens plain_chunkkv(const Case& c, const HeadRange& heads, std::uint32_t length) {
  const auto scores =
      summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
        std::vector<double> norms;
        for (const std::uint32_t token : c.live)
          norms.push_back(-plain_norm(key_of(*c.attention, layer, head, token)));
        return norms;
      });
  struct Chunk {
    Tokens tokens;
    double sum = 0;
  };
  std::map<std::uint32_t, Chunk> by_place;
  for (std::size_t i = 0; i < c.live.size(); ++i) {
    Chunk& chunk = by_place[c.live[i] / length];
    chunk.tokens.push_back(c.live[i]);
    chunk.sum += scores[i];
  }
  std::vector<Chunk> chunks;
  for (const auto& [place, chunk] : by_place)
    chunks.push_back(chunk);
  std::stable_sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) {
    return a.sum / static_cast<double>(a.tokens.size()) >
           b.sum / static_cast<double>(b.tokens.size());
  });
  const std::size_t wanted =
      std::max<std::size_t>(1, chunks.size() * c.options.budget / c.live.size());
  Tokens kept;
  for (std::size_t i = 0; i < wanted; ++i) {
    if (i > 0 && kept.size() + chunks[i].tokens.size() > c.options.budget) break;
    for (const std::uint32_t token : chunks[i].tokens)
      if (kept.size() < c.options.budget) kept.push_back(token);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

TEST_CASE("chunkkv: a plain reading of the rule keeps the same tokens") {
  for (const std::uint32_t length : {1u, 4u, 20u})
    check_against_rule(*make_policy("chunkkv", {{"base", std::string("knorm")},
                                                {"chunk_length", std::int64_t{length}}}),
                       80, 3, 200, [&](const Case& c, const HeadRange& heads) {
                         return plain_chunkkv(c, heads, length);
                       });
}

TEST_CASE("chunkkv: every base gives its scores, its needs and what it always keeps") {
  for (const std::string base : {"snapkv", "h2o", "tova", "knorm", "keydiff", "lagkv", "r_kv"}) {
    INFO(base);
    const auto chunks = make_policy("chunkkv", {{"base", base}});
    const auto alone = make_policy(base);
    CHECK(chunks->protection(100) == alone->protection(100));
    CHECK(chunks->needs().features == alone->needs().features);
    CHECK(chunks->needs().every_row == alone->needs().every_row);
    CHECK((chunks->open_state({1, 1, 1, 4}, 0) == nullptr) ==
          (alone->open_state({1, 1, 1, 4}, 0) == nullptr));
    Case c;
    c.length = 200;
    c.options.budget = 120;
    const Tokens kept = c.keep(*chunks).at(0);
    const Protection always = alone->protection(120);
    for (std::uint32_t token = 0; token < 200; ++token)
      if (token < always.sinks || token + always.recent >= 200)
        CHECK(std::binary_search(kept.begin(), kept.end(), token));
    CHECK(kept.size() <= 120);
    CHECK(kept.size() > 80);
  }
}

TEST_CASE("E-18: a partial chunk competes with its own mean, and a kept one is shorter") {
  // Chunks of 4: means 5, 1, 3, and a last one of two tokens with mean 2.
  const auto norms = of_norms({5, 5, 5, 5, 1, 1, 1, 1, 3, 3, 3, 3, 2, 2});
  CHECK(chunkkv(norms, 4, 4) == Tokens{4, 5, 6, 7});
  // Two chunks of four: int(4 * 8 / 14) = 2, the second being the partial one.
  CHECK(chunkkv(norms, 8, 4) == Tokens{4, 5, 6, 7, 12, 13});
  // A budget below a chunk keeps a part of one.
  CHECK(chunkkv(norms, 3, 4) == Tokens{4, 5, 6});
}

TEST_CASE("E-19: each sequence has its own choice") {
  const auto one = of_norms({1, 1, 2, 2, 3, 3}), other = of_norms({3, 3, 2, 2, 1, 1});
  CHECK(chunkkv(one, 2, 2) == Tokens{0, 1});
  CHECK(chunkkv(other, 2, 2) == Tokens{4, 5});
  CHECK(chunkkv(one, 2, 2) == Tokens{0, 1});
}

TEST_CASE("chunkkv: chunks as long as blocks empty 1 - K/T of the blocks without a move") {
  Case c;
  c.shape = {3, 2, 1, 8};
  c.scope = Scope::model;
  c.length = 512;
  c.options.budget = 128;
  const auto policy = make_policy(
      "chunkkv", {{"base", std::string("keydiff")}, {"chunk_length", std::int64_t{16}}});
  const Tokens kept = c.keep(*policy).at(0);
  REQUIRE(kept.size() == 128);
  for (std::size_t i = 0; i < 128; i += 16) {
    CHECK(kept[i] % 16 == 0);
    CHECK(kept[i + 15] == kept[i] + 15);
  }
}
