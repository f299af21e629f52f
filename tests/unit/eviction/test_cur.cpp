// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numbers>

#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<EvictionPolicy> cur(std::int64_t width, std::int64_t sinks,
                                    std::uint64_t seed = 5) {
  PolicyContext context;
  context.seed = seed;
  return make_policy("cur", {{"width", width}, {"sinks", sinks}}, context);
}

/// Entry (channel, column) of a Gaussian matrix.
double plain_entry(std::uint32_t matrix, std::size_t number, std::uint64_t seed) {
  const auto words =
      philox4x32_10({0, matrix, 0, static_cast<std::uint32_t>(number / 2)}, philox_key(seed));
  const double radius = std::sqrt(-2 * std::log((words[0] + 0.5) / 4294967296.0));
  const double angle = 2 * std::numbers::pi * words[1] / 4294967296.0;
  return radius * (number % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

double plain_leverage(const std::vector<double>& vector, std::uint32_t matrix, std::size_t width,
                      std::uint64_t seed) {
  if (width == 0) return plain_dot(vector, vector);
  double squares = 0;
  for (std::size_t r = 0; r < width; ++r) {
    double image = 0;
    for (std::size_t c = 0; c < vector.size(); ++c)
      image += vector[c] * plain_entry(matrix, c * width + r, seed);
    squares += image * image;
  }
  return squares;
}

/// One head of tokens whose keys and values are given: what stays of them.
Tokens kept_of(const GivenVectors& given, const EvictionPolicy& policy, std::uint32_t budget) {
  Case c;
  c.shape = given.shape();
  c.length = given.length();
  c.attention = &given;
  c.options.budget = budget;
  return c.keep(policy).at(0);
}

}  // namespace

TEST_CASE("cur: a plain reading of the rule keeps the same tokens") {
  for (const std::size_t width : {0u, 1u, 5u, 20u})
    check_against_rule(
        *cur(static_cast<std::int64_t>(width), 3), 60, 10, 60,
        [&](const Case& c, const HeadRange& heads) {
          const auto scores =
              summed_scores(heads, c.live.size(), [&](std::uint32_t layer, std::uint32_t head) {
                std::vector<double> one;
                for (const std::uint32_t token : c.live)
                  one.push_back(
                      plain_leverage(key_of(*c.attention, layer, head, token), 0, width, 5) *
                      plain_leverage(value_of(*c.attention, layer, head, token), 1, width, 5));
                return one;
              });
          return plain_choice(c.live, scores, c.length, {3, 0}, c.options.budget);
        });
}

TEST_CASE("cur: a projection keeps lengths on average, so that long vectors stay for every seed") {
  GivenVectors::Rows keys, values;
  for (std::uint32_t token = 0; token < 40; ++token) {
    keys.push_back({token % 10 == 3 ? 20.0f : 1.0f, 0, 0, 1});
    values.push_back({1, 0, token % 10 == 3 ? 20.0f : 1.0f, 0});
  }
  const GivenVectors given(keys, values);
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    CHECK(kept_of(given, *cur(20, 0, seed), 4) == Tokens{3, 13, 23, 33});
}

TEST_CASE("cur: vectors of length zero go first, and a token needs both to be long") {
  const GivenVectors given({{0, 0}, {9, 0}, {1, 1}, {0, 9}, {1, 0}},
                           {{9, 9}, {0, 0}, {1, 1}, {1, 0}, {0, 1}});
  CHECK(kept_of(given, *cur(0, 0), 3) == Tokens{2, 3, 4});
  CHECK(kept_of(given, *cur(0, 1), 3) == Tokens{0, 2, 3});
}
