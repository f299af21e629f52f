// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/robust_least_squares.hpp"
#include "sim/units/philox.hpp"

using namespace vacancy;

namespace {

/// 100 + 7 x, some noise, some outliers.
LinearRows line(double noise, std::uint32_t outlier_every) {
  LinearRows rows(2);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto words = philox4x32_10({i, 0, 0, 0}, {5, 6});
    const double x = i;
    double y = 1e6 + 7e4 * x + noise * (unit_interval(words[0]) - 0.5);
    if (outlier_every > 0 && i % outlier_every == 0) y += 5e6;
    rows.add(std::vector<double>{1, x}, y);
  }
  return rows;
}

}  // namespace

TEST_CASE("exact rows give exact values, all of full weight") {
  const auto fit = robust_least_squares(line(0, 0), {});
  REQUIRE(fit);
  CHECK(fit->values[0] == Approx(1e6));
  CHECK(fit->values[1] == Approx(7e4));
  for (const double weight : fit->weights)
    CHECK(weight == 1);
}

TEST_CASE("outliers lose their weight, not the others") {
  const auto fit = robust_least_squares(line(1e4, 20), {});
  REQUIRE(fit);
  CHECK(fit->values[0] == Approx(1e6).epsilon(0.01));
  CHECK(fit->values[1] == Approx(7e4).epsilon(0.001));
  CHECK(fit->weights[20] < 0.05);
  CHECK(fit->weights[21] == 1);
  // Plain least squares would be off by the mean of the outliers, 5e6 / 20.
  CHECK(std::abs(fit->values[0] + fit->values[1] * 100 - 8e6) < 2e4);
}

TEST_CASE("an unknown that no row mentions, or two that always come together, are open") {
  LinearRows silent(2);
  for (int i = 0; i < 10; ++i)
    silent.add(std::vector<double>{1.0 + i, 0}, 5);
  CHECK_FALSE(robust_least_squares(silent, {}));
  LinearRows together(2);
  for (int i = 0; i < 10; ++i)
    together.add(std::vector<double>{1.0 + i, 2.0 + 2 * i}, 5.0 + i);
  CHECK_FALSE(robust_least_squares(together, {}));
  CHECK_FALSE(robust_least_squares(LinearRows(1), {}));
}

TEST_CASE("a prior closes what rows leave open, and yields to rows that know better") {
  LinearRows together(2);
  for (int i = 0; i < 20; ++i) {
    const double noise = i % 2 == 0 ? 1e3 : -1e3;
    together.add(std::vector<double>{1, 2}, 1e6 + noise);
  }
  const Prior prior{0, 4e5, 1e3};
  const auto closed = robust_least_squares(together, std::span(&prior, 1));
  REQUIRE(closed);
  CHECK(closed->values[0] == Approx(4e5).epsilon(0.01));
  CHECK(closed->values[1] == Approx(3e5).epsilon(0.01));

  const Prior vague{0, 2e6, 1e6};
  const auto known = robust_least_squares(line(1e4, 0), std::span(&vague, 1));
  REQUIRE(known);
  CHECK(known->values[0] == Approx(1e6).epsilon(0.01));
  const Prior firm{0, 2e6, 1};
  const auto held = robust_least_squares(line(1e4, 0), std::span(&firm, 1));
  REQUIRE(held);
  CHECK(held->values[0] == Approx(2e6).epsilon(0.01));
}

TEST_CASE("columns of very different sizes are solved alike") {
  LinearRows rows(2);
  for (std::uint32_t i = 1; i <= 50; ++i) {
    const double pairs = 1e9 * (i % 7 + 1);
    rows.add(std::vector<double>{1.0 * i, pairs}, 2e7 * i + 3.5 * pairs);
  }
  const auto fit = robust_least_squares(rows, {});
  REQUIRE(fit);
  CHECK(fit->values[0] == Approx(2e7).epsilon(1e-9));
  CHECK(fit->values[1] == Approx(3.5).epsilon(1e-9));
}
