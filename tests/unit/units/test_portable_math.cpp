// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "sim/units/portable_math.hpp"
#include "tests/support/worst_error.hpp"

using namespace vacancy;

namespace {

/// The largest value of error(x) on an even grid.
template <class Error>
double worst(double low, double high, Error error) {
  test::WorstError largest;
  constexpr int steps = 20'000;
  for (int i = 0; i <= steps; ++i)
    largest.add(error(low + (high - low) * i / steps));
  return largest.value();
}

}  // namespace

TEST_CASE("portable exp is exact to the last places, double and single") {
  CHECK(worst(-708.0, 709.0,
              [](double x) { return std::abs(portable_exp(x) / std::exp(x) - 1.0); }) < 5e-16);
  CHECK(worst(-87.0, 88.0, [](double x) {
          const auto single = static_cast<float>(x);
          return std::abs(double{portable_exp(single)} / std::exp(double{single}) - 1.0);
        }) < 3e-7);
  CHECK(portable_exp(0.0) == 1.0);
  CHECK(portable_exp(0.0f) == 1.0f);
}

TEST_CASE("portable log is exact to the last places, double and single") {
  for (const double scale : {1e-300, 1e-9, 1.0, 1e9, 1e300})
    CHECK(worst(0.5 * scale, 3.0 * scale, [](double x) {
            return std::abs(portable_log(x) - std::log(x)) / std::max(1.0, std::abs(std::log(x)));
          }) < 1e-15);
  CHECK(worst(1e-9, 2.0, [](double x) {
          const auto single = static_cast<float>(x);
          const double exact = std::log(double{single});
          return std::abs(double{portable_log(single)} - exact) / std::max(1.0, std::abs(exact));
        }) < 2e-7);
  CHECK(portable_log(1.0) == 0.0);
  CHECK(portable_pow(1e6, -0.5) == Approx(1e-3).epsilon(1e-14));
}

TEST_CASE("portable sine and cosine of turns") {
  const double turn = 2.0 * std::numbers::pi;
  CHECK(worst(-2.0, 2.0, [&](double x) {
          const SinCos angle = portable_sincos(x);
          return std::max(std::abs(angle.sin - std::sin(x * turn)),
                          std::abs(angle.cos - std::cos(x * turn)));
        }) < 2e-15);
  CHECK(worst(-2.0, 2.0, [&](double x) {
          const auto single = static_cast<float>(x);
          const SinCosF angle = portable_sincos(single);
          return std::max(std::abs(double{angle.sin} - std::sin(double{single} * turn)),
                          std::abs(double{angle.cos} - std::cos(double{single} * turn)));
        }) < 3e-7);
}
