// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <numeric>

#include "sim/attention/calibrated_source.hpp"
#include "sim/attention/query_law.hpp"
#include "sim/attention/rope.hpp"
#include "sim/units/error.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/unit/attention/file_builders.hpp"

using namespace vacancy;

namespace {

constexpr AttentionShape qwen3_8b{36, 32, 8, 128};
constexpr double qwen3_theta = 1e6;

struct Moments {
  std::vector<std::complex<double>> mean;
  std::vector<double> modulus;
};

/// Sample moments of a head's queries, drawn before rotation.
Moments sample(const QueryLaw& law, std::size_t bands, std::uint32_t count) {
  const AttentionDraws draws(1, SequenceId{0});
  Moments moments{std::vector<std::complex<double>>(bands), std::vector<double>(bands)};
  std::vector<float> query(2 * bands);
  for (std::uint32_t token = 0; token < count; ++token) {
    law.draw(draws, 5, token, query);
    for (std::size_t f = 0; f < bands; ++f) {
      const std::complex<double> q(double{query[f]}, double{query[f + bands]});
      moments.mean[f] += q / static_cast<double>(count);
      moments.modulus[f] += std::abs(q) / static_cast<double>(count);
    }
  }
  return moments;
}

/// The sample's moments lie within five standard errors of the statistics: the variance of each is
/// at most E|q|² = m²(1 + spread²/3) over the count.
void check_moments(const HeadStatistics& statistics, double spread) {
  constexpr std::uint32_t count = 20'000;
  const std::size_t bands = statistics.mean_abs.size();
  const auto moments = sample(QueryLaw(statistics, spread), bands, count);
  for (std::size_t f = 0; f < bands; ++f) {
    const double m = double{statistics.mean_abs[f]};
    const std::complex<double> mean(double{statistics.mean_real[f]},
                                    double{statistics.mean_imag[f]});
    const double bound = 5.0 * m * std::sqrt((1.0 + spread * spread / 3.0) / count) + 1e-6 * m;
    INFO("band " << f << ", m " << m << ", mean " << mean);
    CHECK(std::abs(moments.mean[f] - mean) <= bound);
    CHECK(std::abs(moments.modulus[f] - m) <= bound);
  }
}

AttentionShape made_shape() {
  return {2, 4, 2, 8};
}

CalibratedSource made_source(const CalibratedSourceOptions& options = {}) {
  return {read_calibration(test::tria_bytes(), "made.bin"), made_shape(), 10'000.0, options, 1};
}

}  // namespace

TEST_CASE("drawn queries have both moments, from no concentration to full") {
  // mean 0; weak; strong; a modulus that is all mean; nothing at all
  const std::vector<float> real{0.0f, 0.1f, -1.8f, 3.0f, 0.0f};
  const std::vector<float> imag{0.0f, -0.2f, 0.6f, -4.0f, 0.0f};
  const std::vector<float> modulus{1.5f, 1.0f, 2.0f, 5.0f, 0.0f};
  for (const double spread : {0.0, 0.5, 1.0})
    check_moments({real, imag, modulus}, spread);
}

TEST_CASE("a fully concentrated band does not move but in modulus") {
  const std::vector<float> real{3.0f}, imag{4.0f}, modulus{5.0f};
  const QueryLaw law({real, imag, modulus}, 0.0);
  std::vector<float> query(2);
  for (std::uint32_t token = 0; token < 100; ++token) {
    law.draw(AttentionDraws(1, SequenceId{0}), 0, token, query);
    CHECK(query[0] == Approx(3.0).margin(0.02));
    CHECK(query[1] == Approx(4.0).margin(0.02));
  }
}

TEST_CASE("queries of Qwen3-8B follow its calibration") {
  const auto path = test::shared_file("data/triattention-stats/qwen3-8b.bin");
  if (!path) return;
  const auto calibration = read_calibration(*path);
  for (const auto& [layer, head] : {std::pair{0u, 0u}, {17u, 9u}, {35u, 31u}})
    check_moments(calibration.head(layer, head), 0.9);
}

TEST_CASE("queries and keys come rotated by their position in the half pairing") {
  const auto source = made_source();
  const auto sequence = source.open(SequenceId{3});
  sequence->advance(50);
  const QueryLaw law(read_calibration(test::tria_bytes(), "made.bin").head(1, 2), 0.9);
  std::vector<float> before(8), after(8);
  law.draw(AttentionDraws(1, SequenceId{3}), 1 * 4 + 2, 49, before);
  sequence->queries(1, 2, 49, after);
  for (std::size_t f = 0; f < 4; ++f) {
    const double angle = 49.0 * std::pow(10'000.0, -2.0 * static_cast<double>(f) / 8.0);
    const std::complex<double> q(double{before[f]}, double{before[f + 4]});
    const auto turned = q * std::polar(1.0, angle);
    CHECK(double{after[f]} == Approx(turned.real()).margin(1e-5));
    CHECK(double{after[f + 4]} == Approx(turned.imag()).margin(1e-5));
  }
}

TEST_CASE("calibrated weights are the softmax of the vectors, whatever was asked before") {
  const auto source = made_source();
  const auto sequence = source.open(SequenceId{0}), other = source.open(SequenceId{0});
  sequence->advance(40);
  other->advance(20);
  std::vector<float> scratch(20);
  other->weights(0, 0, 19, scratch);
  other->advance(40);

  for (const std::uint32_t query : {39u, 5u, 21u})
    for (std::uint32_t head = 0; head < 4; ++head) {
      std::vector<float> q(8), keys((query + 1) * 8), row(query + 1), again(query + 1);
      sequence->queries(1, head, query, q);
      sequence->keys(1, head / 2, 0, keys);
      std::vector<double> expected(query + 1);
      for (std::size_t j = 0; j <= query; ++j)
        expected[j] =
            std::exp(std::inner_product(q.begin(), q.end(),
                                        keys.begin() + static_cast<std::ptrdiff_t>(8 * j), 0.0) /
                     std::sqrt(8.0));
      const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
      sequence->weights(1, head, query, row);
      other->weights(1, head, query, again);
      CHECK(row == again);
      for (std::size_t j = 0; j <= query; ++j)
        CHECK(double{row[j]} == Approx(expected[j] / total).epsilon(1e-4));
    }
}

TEST_CASE("the key process pays the logits that its options state") {
  // One query head a KV head, whose query is always its mean: logits can be read off.
  const std::vector<float> real{1.0f, 0.0f, 2.0f, 1.0f}, imag{0.0f, 1.0f, -1.0f, 0.5f};
  std::vector<float> modulus(4);
  for (std::size_t f = 0; f < 4; ++f)
    modulus[f] = std::hypot(real[f], imag[f]);
  Calibration calibration("made", 1, 1, 8);
  calibration.set_head(0, 0, {real, imag, modulus}, "head");
  CalibratedSourceOptions options;
  options.modulus_spread = 0.0;
  options.noise_logit = 0.0;
  options.local_logit = 3.0;
  options.heavy_fraction = 1.0;
  options.heavy_logit = 2.0;
  options.sink_logit = 5.0;
  options.sink_tokens = 1;
  options.slow_horizon = 100.0;  // the two slowest of 1, 0.1, 0.01, 0.001
  const CalibratedSource source(calibration, {1, 1, 1, 8}, 10'000.0, options, 1);
  const auto sequence = source.open(SequenceId{0});
  sequence->advance(40);
  const auto logit = [&](std::uint32_t query, std::uint32_t token) {
    std::vector<float> q(8), k(8);
    sequence->queries(0, 0, query, q);
    sequence->keys(0, 0, token, k);
    return std::inner_product(q.begin(), q.end(), k.begin(), 0.0) / std::sqrt(8.0);
  };
  CHECK(logit(0, 0) == Approx(3.0 + 5.0).margin(0.02));
  CHECK(logit(20, 20) == Approx(3.0 + 2.0).margin(0.02));
  double local = 0.0, energy = 0.0;
  for (std::size_t f = 0; f < 4; ++f) {
    const double square = double{modulus[f]} * double{modulus[f]};
    local += square * std::cos(10.0 * std::pow(10.0, -static_cast<double>(f)));
    energy += square;
  }
  CHECK(logit(30, 20) == Approx(3.0 * local / energy + 2.0).margin(0.03));
}

TEST_CASE("noise, heavy fraction and values have their stated size") {
  CalibratedSourceOptions options;
  options.local_logit = options.heavy_logit = options.sink_logit = 0.0;
  const auto source = made_source(options);
  constexpr std::uint32_t length = 4000;
  const auto sequence = source.open(SequenceId{0});
  sequence->advance(length);
  std::vector<float> keys(length * 8), queries(length * 8), values(length * 8);
  sequence->keys(0, 1, 0, keys);
  sequence->values(0, 1, 0, values);
  double square = 0.0, values_square = 0.0;
  for (std::uint32_t head = 2; head < 4; ++head) {
    sequence->queries(0, head, 0, queries);
    for (std::uint32_t t = 0; t + 1 < length; ++t) {
      double product = 0.0;
      for (std::size_t i = 0; i < 8; ++i)
        product += double{queries[8 * t + i]} * double{keys[8 * (t + 1) + i]};
      square += product * product / 8.0 / (2.0 * (length - 1));
    }
  }
  CHECK(std::sqrt(square) == Approx(1.5).epsilon(0.05));
  for (const float value : values)
    values_square += double{value} * double{value} / static_cast<double>(values.size());
  CHECK(values_square == Approx(1.0).epsilon(0.4));  // the head's fixed vector has 8 numbers only
}

TEST_CASE("a calibration of another model is refused with a sentence") {
  const auto calibration = read_calibration(test::tria_bytes(), "made.bin");
  const auto refused = [&](AttentionShape shape, const std::string& why) {
    CHECK_THROWS_WITH(CalibratedSource(calibration, shape, 1e4, {}, 1),
                      Catch::Contains("made.bin") && Catch::Contains(why));
  };
  refused({3, 4, 2, 8}, "2 layers, the scenario's 3");
  refused({2, 8, 2, 8}, "4 query heads");
  refused({2, 4, 4, 8}, "2 KV heads");
  refused({2, 4, 2, 16}, "8 components");
  auto partial = test::tria_bytes();
  std::fill(partial.begin() + 64, partial.begin() + 128, std::byte{0});
  CHECK_THROWS_WITH(
      CalibratedSource(read_calibration(partial, "made.bin"), made_shape(), 1e4, {}, 1),
      Catch::Contains("no statistics of layer 0, query head 0"));
  CHECK_THROWS_WITH(CalibratedSource(calibration, made_shape(), 0.0, {}, 1),
                    Catch::Contains("model.rope_theta"));
}

TEST_CASE("the calibrated source runs at the size of Qwen3-8B") {
  const auto path = test::shared_file("data/triattention-stats/aime24_qwen3_8b.pt");
  if (!path) return;
  const CalibratedSource source(read_calibration(*path), qwen3_8b, qwen3_theta, {}, 1);
  const auto sequence = source.open(SequenceId{0});
  sequence->advance(256);
  std::vector<float> row(256);
  sequence->weights(35, 31, 255, row);
  CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1.0).epsilon(1e-5));
}
