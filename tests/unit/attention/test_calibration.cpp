// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/attention/calibration.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

constexpr const char* tria_file = "data/triattention-stats/qwen3-8b.bin";
constexpr const char* pt_file = "data/triattention-stats/aime24_qwen3_8b.pt";

template <class Figure>
std::vector<double> sorted_over_heads(const Calibration& calibration, Figure figure) {
  std::vector<double> values;
  for (std::uint32_t layer = 0; layer < calibration.layers(); ++layer)
    for (std::uint32_t head = 0; head < calibration.query_heads(); ++head)
      values.push_back(figure(layer, head));
  std::sort(values.begin(), values.end());
  return values;
}

/// Linear interpolation between order statistics.
double percentile(const std::vector<double>& sorted, double percent) {
  const double at = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

double inner(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += double{a[i]} * double{b[i]};
  return sum;
}

/// Cosine between two heads' mean queries as real vectors.
double mean_cosine(const HeadStatistics& a, const HeadStatistics& b) {
  const auto product = [](const HeadStatistics& x, const HeadStatistics& y) {
    return inner(x.mean_real, y.mean_real) + inner(x.mean_imag, y.mean_imag);
  };
  return product(a, b) / std::sqrt(product(a, a) * product(b, b));
}

double modulus_cosine(const HeadStatistics& a, const HeadStatistics& b) {
  return inner(a.mean_abs, b.mean_abs) /
         std::sqrt(inner(a.mean_abs, a.mean_abs) * inner(b.mean_abs, b.mean_abs));
}

/// Sum of |mean| over sum of mean moduli.
double concentration(const HeadStatistics& head) {
  double means = 0.0, moduli = 0.0;
  for (std::size_t f = 0; f < head.mean_abs.size(); ++f) {
    means += std::hypot(double{head.mean_real[f]}, double{head.mean_imag[f]});
    moduli += double{head.mean_abs[f]};
  }
  return means / moduli;
}

void check_concentration(const Calibration& calibration, double p5, double p50, double p95) {
  const auto values = sorted_over_heads(calibration, [&](std::uint32_t layer, std::uint32_t head) {
    return concentration(calibration.head(layer, head));
  });
  CHECK(percentile(values, 5) == Approx(p5).margin(0.001));
  CHECK(percentile(values, 50) == Approx(p50).margin(0.001));
  CHECK(percentile(values, 95) == Approx(p95).margin(0.001));
  CHECK(values.back() <= 0.95);
}

}  // namespace

TEST_CASE("both published calibrations of Qwen3-8B are read and agree as documented") {
  const auto tria_path = test::shared_file(tria_file);
  const auto pt_path = test::shared_file(pt_file);
  if (!tria_path || !pt_path) return;
  const auto tria = read_calibration(*tria_path);
  const auto pt = read_calibration(*pt_path);

  for (const auto* calibration : {&tria, &pt}) {
    CHECK(calibration->layers() == 36);
    CHECK(calibration->query_heads() == 32);
    CHECK(calibration->head_dim() == 128);
    CHECK(calibration->bands() == 64);
    CHECK(calibration->present_heads() == 1152);
    CHECK(calibration->rope_style == "half");
    CHECK(calibration->layer_budget_scale == std::vector<float>(36, 1.0f));
  }
  CHECK(tria.kv_heads == 8);
  CHECK(pt.kv_heads == 0);  // the file does not say
  CHECK(tria.attention_scale == 1.0);
  CHECK_FALSE(pt.attention_scale);
  CHECK_FALSE(pt.model_name.empty());

  const auto cosines = sorted_over_heads(tria, [&](std::uint32_t layer, std::uint32_t head) {
    return mean_cosine(tria.head(layer, head), pt.head(layer, head));
  });
  CHECK(percentile(cosines, 50) == Approx(0.916).margin(0.0006));
  CHECK(percentile(cosines, 1) == Approx(0.656).margin(0.0006));
  CHECK(cosines.front() == Approx(0.481).margin(0.0006));
  const auto moduli = sorted_over_heads(tria, [&](std::uint32_t layer, std::uint32_t head) {
    return modulus_cosine(tria.head(layer, head), pt.head(layer, head));
  });
  CHECK(percentile(moduli, 50) == Approx(0.984).margin(0.0006));
  CHECK(moduli.front() == Approx(0.929).margin(0.0006));

  check_concentration(pt, 0.593, 0.745, 0.847);
  check_concentration(tria, 0.561, 0.698, 0.818);
}

TEST_CASE("E-37: a rope theta that differs from the model's is told, and never taken") {
  const auto path = test::shared_file(tria_file);
  if (!path) return;
  const auto calibration = read_calibration(*path);
  CHECK(calibration.rope_theta_in_file == 10'000.0);
  CHECK_FALSE(rope_theta_disagreement(calibration, 10'000.0));
  const auto sentence = rope_theta_disagreement(calibration, 1'000'000.0);
  REQUIRE(sentence);
  CHECK(sentence->find("10000") != std::string::npos);
  CHECK(sentence->find("1e+06") != std::string::npos);
}
