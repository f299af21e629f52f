// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/attention/sampler.hpp"

using namespace vacancy;

namespace {

/// How often each token is drawn over an even grid of the one random number.
template <std::size_t n>
std::array<double, n> frequencies(const std::array<float, n>& logits, SamplingOptions options) {
  constexpr int draws = 10'000;
  std::array<double, n> counts{};
  for (int i = 0; i < draws; ++i)
    counts[sample_token(logits, options, (i + 0.5) / draws)] += 1.0 / draws;
  return counts;
}

}  // namespace

TEST_CASE("temperature 0 takes the first of the largest logits") {
  CHECK(sample_token(std::array{1.0f, 3.0f, 3.0f}, {0.0, 1.0}, 0.99) == 1);
}

TEST_CASE("sampling follows the softmax at its temperature") {
  const std::array logits{std::log(1.0f), std::log(2.0f), std::log(5.0f)};
  const auto plain = frequencies(logits, {1.0, 1.0});
  CHECK(plain[0] == Approx(1.0 / 8).margin(0.001));
  CHECK(plain[1] == Approx(2.0 / 8).margin(0.001));
  CHECK(plain[2] == Approx(5.0 / 8).margin(0.001));
  const auto cold = frequencies(logits, {0.5, 1.0});  // squares: 1 4 25
  CHECK(cold[1] == Approx(4.0 / 30).margin(0.001));
  CHECK(cold[2] == Approx(25.0 / 30).margin(0.001));
}

TEST_CASE("top-p keeps the likeliest tokens whose probability passes it, and rescales them") {
  const std::array logits{std::log(1.0f), std::log(2.0f), std::log(5.0f), std::log(2.0f)};
  const auto two = frequencies(logits, {1.0, 0.6});  // 0.5, then 0.7 passes 0.6
  CHECK(two[0] == 0.0);
  CHECK(two[1] == Approx(2.0 / 7).margin(0.001));  // of equals, the lower id
  CHECK(two[2] == Approx(5.0 / 7).margin(0.001));
  CHECK(two[3] == 0.0);
  CHECK(frequencies(logits, {1.0, 0.0})[2] == Approx(1.0));  // the likeliest alone
}
