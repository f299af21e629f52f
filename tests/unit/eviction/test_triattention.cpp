// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <iostream>
#include <numeric>

#include "sim/attention/rope.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/triattention_score.hpp"
#include "sim/units/error.hpp"
#include "tests/support/made_calibration.hpp"
#include "tests/support/policy_cases.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/worst_error.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

double uniform(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return 2 * unit_interval(philox4x32_10({a, b, c, 0}, {6, 6})[0]) - 1;
}

std::vector<float> made_key(std::uint32_t dim, std::uint32_t seed) {
  std::vector<float> key(dim);
  for (std::uint32_t i = 0; i < dim; ++i)
    key[i] = static_cast<float>(3 * uniform(seed, i, 1));
  return key;
}

Calibration made_statistics(std::uint32_t layers, std::uint32_t query_heads,
                            std::uint32_t head_dim) {
  const auto bytes = made_calibration(layers, query_heads, query_heads, head_dim);
  return read_tria(std::as_bytes(std::span(bytes)), "made");
}

double fused_score(const HeadStatistics& query, std::span<const double> frequencies,
                   const TriAttentionTerms& terms, std::uint32_t t, std::span<const float> key) {
  const TriAttentionPhases phases(frequencies, terms, t);
  std::vector<double> weights(phases.weights()), wide(key.begin(), key.end()),
      moduli(phases.bands());
  for (std::size_t f = 0; f < moduli.size(); ++f)
    moduli[f] = std::hypot(wide[f], wide[f + moduli.size()]);
  phases.make_weights(query, weights);
  return phases.score(weights, wide, moduli);
}

/// The formula of the paper with amplitude and angle, and the C library's functions.
double by_angles(const HeadStatistics& query, double theta, std::uint32_t t, std::uint32_t p,
                 std::span<const float> key) {
  const std::size_t bands = key.size() / 2;
  double sum = 0;
  for (std::size_t f = 0; f < bands; ++f) {
    const double omega = std::pow(theta, -static_cast<double>(f) / static_cast<double>(bands));
    const std::complex<double> k =
        std::complex<double>(double{key[f]}, double{key[f + bands]}) * std::polar(1.0, -omega * p);
    const std::complex<double> q(double{query.mean_real[f]}, double{query.mean_imag[f]});
    const double phi = std::arg(q * std::conj(k));
    for (int exponent = 0; exponent <= 16; ++exponent) {
      const double distance = static_cast<double>(t) - p + std::ldexp(1.0, exponent);
      sum += std::abs(q) * std::abs(k) * std::cos(distance * omega + phi) / 17;
    }
    sum += (double{query.mean_abs[f]} - std::abs(q)) * std::abs(k);
  }
  return sum;
}

/// Largest |explicit - fused| / sum of |terms| over heads, keys and rounds.
double worst_disagreement(const Calibration& calibration, double theta,
                          const TriAttentionTerms& terms, std::uint32_t head_step) {
  const auto frequencies = rotary_frequencies(theta, calibration.head_dim());
  test::WorstError worst;
  for (std::uint32_t head = 0; head < calibration.layers() * calibration.query_heads();
       head += head_step) {
    const auto query =
        calibration.head(head / calibration.query_heads(), head % calibration.query_heads());
    for (const std::uint32_t t : {128u, 2176u, 20000u, 131072u}) {
      const std::uint32_t p = t - 1 - philox4x32_10({head, t, 0, 0}, {1, 1})[0] % 128;
      const auto key = made_key(calibration.head_dim(), head);
      double magnitude = 0;
      const double reference =
          triattention_score_explicit(query, frequencies, terms, t, p, key, &magnitude);
      const double fused = fused_score(query, frequencies, terms, t, key);
      worst.add(std::abs(reference - fused) / magnitude);
    }
  }
  return worst.value();
}

}  // namespace

TEST_CASE("E-44: triattention: explicit and fused form agree on the statistics of Qwen3-8B") {
  const auto path = shared_file("data/triattention-stats/qwen3-8b.bin");
  if (!path) return;
  const Calibration calibration = read_calibration(*path);
  const double worst = worst_disagreement(calibration, 1e6, {}, 1);
  std::cout << "triattention: worst |explicit - fused| / sum of |terms| " << worst << '\n';
  CHECK(worst < 1e-12);
  TriAttentionTerms max_offset;
  max_offset.offsets = OffsetAggregation::max;
  CHECK(worst_disagreement(calibration, 1e6, max_offset, 7) < 1e-11);  // no mean over distances
}

TEST_CASE(
    "E-27, E-44: triattention: both forms agree in every variant, also with scaled rotary keys") {
  const Calibration calibration = made_statistics(2, 4, 32);
  for (const bool trig : {false, true})
    for (const bool mlr : {false, true})
      for (const auto offsets : {OffsetAggregation::mean, OffsetAggregation::max})
        for (const double s : {1.0, 1.2079}) {  // YaRN's factor at 8x length
          TriAttentionTerms terms;
          terms.disable_trig = trig;
          terms.disable_mlr = mlr;
          terms.offsets = offsets;
          terms.rotary_scaling = s;
          INFO(trig << mlr << static_cast<int>(offsets) << " s " << s);
          CHECK(worst_disagreement(calibration, 10000, terms, 1) < 1e-11);
        }
}

TEST_CASE("triattention: the explicit form is the paper's formula") {
  const Calibration calibration = made_statistics(1, 4, 16);
  const auto frequencies = rotary_frequencies(10000, 16);
  for (std::uint32_t head = 0; head < 4; ++head) {
    const auto key = made_key(16, head);
    const auto query = calibration.head(0, head);
    double magnitude = 0;
    const double score =
        triattention_score_explicit(query, frequencies, {}, 500, 37 * head, key, &magnitude);
    CHECK(std::abs(score - by_angles(query, 10000, 500, 37 * head, key)) < 1e-11 * magnitude);
  }
}

// With k the key before scaling, the score is s^2 times that of plain RoPE.
TEST_CASE("E-27: triattention: a scaled key counts s squared once") {
  const Calibration calibration = made_statistics(1, 1, 16);
  const auto frequencies = rotary_frequencies(10000, 16);
  const auto plain = made_key(16, 1);
  TriAttentionTerms scaled;
  scaled.rotary_scaling = 2;
  std::vector<float> key = plain;
  for (float& x : key)
    x *= 2;
  const double once = fused_score(calibration.head(0, 0), frequencies, {}, 500, plain);
  CHECK(fused_score(calibration.head(0, 0), frequencies, scaled, 500, key) == Approx(4 * once));
}

TEST_CASE("triattention: a key in the direction of the mean query, where it will be looked at") {
  // One band, mean query along the real axis: with the key's pre-rotation phase 0 the distance term
  // is the mean of cos(distance), whatever the position.
  Calibration calibration("made", 1, 1, 2);
  const std::vector<float> re{0.5f}, im{0.0f}, abs{0.75f};
  calibration.set_head(0, 0, {re, im, abs}, "here");
  RotaryTable rope(2, 10000, RopePairing::half);
  rope.grow(100);
  std::vector<float> key{2, 0};
  rope.rotate(key, 60);
  double expected = 0.25 * 2;
  for (int exponent = 0; exponent <= 16; ++exponent)
    expected += 0.5 * 2 * std::cos(100.0 - 60 + std::ldexp(1.0, exponent)) / 17;
  CHECK(fused_score(calibration.head(0, 0), rotary_frequencies(10000, 2), {}, 100, key) ==
        Approx(expected).epsilon(1e-6));
}

TEST_CASE("triattention: normalisation is over candidates, and a constant row stays finite") {
  std::vector<double> row{100, 1, 3, 5, 7, -100};
  const std::vector<std::uint64_t> guarded{0b100001};
  normalize_row(row, [&](std::size_t i) { return !bits::test(guarded, i); });
  const double deviation = std::sqrt(5.0);
  CHECK(row[1] == Approx(-3 / deviation));
  CHECK(row[4] == Approx(3 / deviation));
  CHECK(row[0] == Approx(96 / deviation));
  std::vector<double> constant(8, 2.5);
  normalize_row(constant, [](std::size_t) { return true; });
  CHECK(constant == std::vector<double>(8, 0.0));
}

TEST_CASE("E-44: triattention: union of row-wise top-k, re-ranked, is the top-k of row maxima") {
  SelectionScratch scratch;
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    const std::uint32_t rows = 1 + trial % 12, tokens = 20 + trial % 50, k = 1 + trial % 19;
    std::vector<std::vector<double>> matrix(rows, std::vector<double>(tokens));
    std::vector<double> row_max(tokens, -2);
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t i = 0; i < tokens; ++i) {
        matrix[r][i] = uniform(trial, r, i + 1);
        row_max[i] = std::max(row_max[i], matrix[r][i]);
      }
    std::vector<bool> in_union(tokens);
    for (const auto& row : matrix) {
      Tokens order = first_tokens(tokens);
      std::sort(order.begin(), order.end(), [&](auto a, auto b) { return row[a] > row[b]; });
      for (std::uint32_t i = 0; i < k; ++i)
        in_union[order[i]] = true;
    }
    Tokens expected;
    for (std::uint32_t i = 0; i < tokens; ++i)
      if (in_union[i]) expected.push_back(i);
    std::sort(expected.begin(), expected.end(),
              [&](auto a, auto b) { return row_max[a] > row_max[b]; });
    expected.resize(k);
    std::sort(expected.begin(), expected.end());

    std::vector<std::uint64_t> kept(bits::words(tokens), 0);
    keep_best(row_max, std::vector<std::uint64_t>(bits::words(tokens), 0), k, kept, scratch);
    CHECK(kept_tokens(first_tokens(tokens), kept) == expected);
  }
}

namespace {

constexpr std::uint32_t layers = 2, query_heads = 4, kv_heads = 2, dim = 8;

std::unique_ptr<EvictionPolicy> triattention(const std::vector<char>& file,
                                             std::map<std::string, ParameterValue> changes = {},
                                             std::uint32_t head_dim = dim, double theta = 10000) {
  const TemporaryFile calibration("triattention", file);
  changes["calibration"] = calibration.path().string();
  PolicyContext context;
  context.layers = layers;
  context.query_heads = query_heads;
  context.kv_heads = kv_heads;
  context.head_dim = head_dim;
  context.rope_theta = theta;
  return make_policy("triattention", changes, context);
}

/// Normalised rows of all (layer, query head) pairs, straight from the definition.
std::vector<std::vector<double>> rows_of(const SequenceAttention& attention) {
  const Calibration calibration = made_statistics(layers, query_heads, dim);
  const auto frequencies = rotary_frequencies(10000, dim);
  std::vector<std::vector<double>> rows;
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t q = 0; q < query_heads; ++q) {
      std::vector<double> row;
      for (std::uint32_t token = 0; token < attention.length(); ++token) {
        std::vector<float> key(dim);
        attention.keys(layer, q / 2, token, key);
        row.push_back(triattention_score_explicit(calibration.head(layer, q), frequencies, {},
                                                  attention.length(), token, key));
      }
      double mean = 0, squares = 0;
      for (const double x : row)
        mean += x / static_cast<double>(row.size());
      for (const double x : row)
        squares += (x - mean) * (x - mean) / static_cast<double>(row.size());
      for (double& x : row)
        x = (x - mean) / std::sqrt(squares);
      rows.push_back(row);
    }
  return rows;
}

Tokens top(const std::vector<double>& scores, std::size_t k) {
  Tokens order = first_tokens(static_cast<std::uint32_t>(scores.size()));
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return scores[a] > scores[b]; });
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

TEST_CASE("triattention: the four modes join rows as their sources do") {
  const FakeAttention attention({layers, query_heads, kv_heads, dim}, 64);
  const auto rows = rows_of(attention);
  const auto maximum = [&](std::initializer_list<std::size_t> which) {
    std::vector<double> best(64, -1e9);
    for (const std::size_t r : which)
      for (std::size_t i = 0; i < 64; ++i)
        best[i] = std::max(best[i], rows[r][i]);
    return best;
  };
  const auto sum = [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] += b[i];
    return a;
  };
  const auto file = made_calibration(layers, query_heads, kv_heads, dim);
  const auto policy = triattention(file);
  Case c;
  c.shape = attention.shape();
  c.attention = &attention;
  c.options.budget = 20;
  using Sets = std::vector<Tokens>;
  c.scope = Scope::model;
  CHECK(c.keep(*policy) == Sets{top(maximum({0, 1, 2, 3, 4, 5, 6, 7}), 20)});
  c.scope = Scope::per_layer;
  CHECK(c.keep(*policy) == Sets{top(maximum({0, 1, 2, 3}), 20), top(maximum({4, 5, 6, 7}), 20)});
  c.scope = Scope::per_head;
  CHECK(c.keep(*policy) == Sets{top(sum(maximum({0, 1}), maximum({4, 5})), 20),
                                top(sum(maximum({2, 3}), maximum({6, 7})), 20)});
  c.scope = Scope::per_layer_per_head;
  CHECK(c.keep(*policy) == Sets{top(maximum({0, 1}), 20), top(maximum({2, 3}), 20),
                                top(maximum({4, 5}), 20), top(maximum({6, 7}), 20)});
  const auto by_mean = triattention(file, {{"heads", std::string("mean")}});
  CHECK(c.keep(*by_mean)[0] == top(sum(rows[0], rows[1]), 20));
}

TEST_CASE("triattention: equal keys tie to the lowest position") {
  struct EqualKeys final : SequenceAttention {
    AttentionShape shape_{layers, query_heads, kv_heads, dim};
    const AttentionShape& shape() const override { return shape_; }
    void advance(std::uint32_t) override {}
    std::uint32_t length() const override { return 64; }
    void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float>) const override {}
    void keys(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float> out) const override {
      std::fill(out.begin(), out.end(), 0.5f);
    }
  } attention;
  Case c;
  c.shape = attention.shape();
  c.attention = &attention;
  c.options.budget = 20;
  const auto policy = triattention(made_calibration(layers, query_heads, kv_heads, dim));
  for (const Scope scope : {Scope::model, Scope::per_head, Scope::per_layer_per_head}) {
    c.scope = scope;
    const auto sets = c.keep(*policy);
    for (const Tokens& kept : sets)
      CHECK(kept == first_tokens(20));
  }
}

TEST_CASE("triattention: statistics of another model, or no rotary base, are the user's error") {
  const auto file = made_calibration(layers, query_heads, kv_heads, dim);
  CHECK_THROWS_WITH(triattention(file, {}, 16),
                    Catch::Contains("head dimension 8") && Catch::Contains("head dimension 16"));
  CHECK_THROWS_AS(triattention(made_calibration(1, query_heads, kv_heads, dim)), UserError);
  CHECK_THROWS_WITH(triattention(file, {}, dim, 0), Catch::Contains("rope_theta"));
}

TEST_CASE("triattention: over all cached tokens, as the vLLM plugin normalises") {
  const FakeAttention attention({layers, query_heads, kv_heads, dim}, 64);
  const auto rows = rows_of(attention);  // over all tokens
  Case c;
  c.shape = attention.shape();
  c.attention = &attention;
  c.options.budget = 24;
  c.options.protect.recent = 12;
  c.scope = Scope::per_layer_per_head;
  const auto file = made_calibration(layers, query_heads, kv_heads, dim);
  const auto plugin = triattention(file, {{"normalize_over", std::string("cached")}});
  std::vector<double> best(52);
  for (std::size_t i = 0; i < best.size(); ++i)
    best[i] = std::max(rows[0][i], rows[1][i]);
  Tokens expected = top(best, 12);
  for (std::uint32_t token = 52; token < 64; ++token)
    expected.push_back(token);
  CHECK(c.keep(*plugin).at(0) == expected);
  // Mean and deviation of the candidates alone: another scale for each of the two rows.
  CHECK(c.keep(*triattention(file)) != c.keep(*plugin));
}

// The fallbacks of the public code.
TEST_CASE("E-28: triattention with heads without statistics") {
  const auto without = [](std::initializer_list<std::size_t> heads) {
    auto file = made_calibration(layers, query_heads, kv_heads, dim);
    const std::size_t record = 4 * sizeof(float) * dim / 2;
    for (const std::size_t head : heads)
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(64 + head * record), record, 0);
    return file;
  };
  const FakeAttention attention({layers, query_heads, kv_heads, dim}, 64);
  const auto rows = rows_of(attention);
  Case c;
  c.shape = attention.shape();
  c.attention = &attention;
  c.options.budget = 20;

  // No statistics for KV head 1: it takes the mean of all rows that there are.
  std::vector<double> mean(64), layer_maxima(64);
  for (std::size_t i = 0; i < 64; ++i) {
    mean[i] = rows[0][i] + rows[1][i] + rows[4][i] + rows[5][i];
    layer_maxima[i] = std::max(rows[0][i], rows[1][i]) + std::max(rows[4][i], rows[5][i]);
  }
  c.scope = Scope::per_head;
  CHECK(c.keep(*triattention(without({2, 3, 6, 7}))) ==
        std::vector<Tokens>{top(layer_maxima, 20), top(mean, 20)});

  // None in layer 1: a set of its own keeps its oldest tokens, a set over layers uses layer 0.
  const auto half = triattention(without({4, 5, 6, 7}));
  c.scope = Scope::per_layer;
  CHECK(c.keep(*half).at(1) == first_tokens(20));
  c.scope = Scope::per_head;
  for (std::size_t i = 0; i < 64; ++i)
    layer_maxima[i] = std::max(rows[0][i], rows[1][i]);
  CHECK(c.keep(*half).at(0) == top(layer_maxima, 20));
}

namespace {

/// Statistics of one query head's queries so far, by complex numbers. `half` as in
/// AttentionFeatures.
struct PlainStatistics {
  std::vector<float> real, imag, modulus;

  PlainStatistics(const Case& c, std::uint32_t layer, std::uint32_t head, double theta, bool half) {
    const std::size_t bands = c.shape.head_dim / 2;
    for (std::size_t f = 0; f < bands; ++f) {
      const double omega = std::pow(theta, -static_cast<double>(f) / static_cast<double>(bands));
      std::complex<double> mean;
      double size = 0;
      for (std::uint32_t position = 0; position < c.length; ++position) {
        const auto query = query_of(*c.attention, layer, head, position);
        const std::complex<double> rotated(query[half ? f : 2 * f],
                                           query[half ? f + bands : 2 * f + 1]);
        mean += rotated * std::polar(1.0, -omega * position) / double(c.length);
        size += std::abs(rotated) / c.length;
      }
      real.push_back(static_cast<float>(mean.real()));
      imag.push_back(static_cast<float>(mean.imag()));
      modulus.push_back(static_cast<float>(size));
    }
  }
  HeadStatistics view() const { return {real, imag, modulus}; }
};

/// Rows of (layer, KV head), each scaled to mean 0 and deviation 1 over the live tokens.
std::vector<std::vector<double>> plain_rows(const Case& c, std::uint32_t layer,
                                            std::uint32_t kv_head, double theta, bool half) {
  std::vector<std::vector<double>> rows;
  const std::uint32_t group = c.shape.group();
  const std::size_t bands = c.shape.head_dim / 2;
  for (std::uint32_t q = kv_head * group; q < (kv_head + 1) * group; ++q) {
    const PlainStatistics statistics(c, layer, q, theta, half);
    std::vector<double> row;
    for (const std::uint32_t token : c.live) {
      const auto key = key_of(*c.attention, layer, kv_head, token);
      std::vector<float> halves(key.size());
      for (std::size_t f = 0; f < bands; ++f) {
        halves[f] = static_cast<float>(key[half ? f : 2 * f]);
        halves[f + bands] = static_cast<float>(key[half ? f + bands : 2 * f + 1]);
      }
      row.push_back(by_angles(statistics.view(), theta, c.length, token, halves));
    }
    normalize_row(row, [](std::size_t) { return true; });
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("triattention: without a file, the statistics of the sequence's own queries so far") {
  const bool half = GENERATE(true, false);
  const double theta = 10000;
  Random random(29);
  std::uint32_t checked = 0;
  for (int i = 0; i < 40; ++i) {
    MadeRound made(random, 12, 70);
    Case& c = made.c;
    if (!made.set_budget(random, {})) continue;
    PolicyContext context;
    context.layers = c.shape.layers;
    context.query_heads = c.shape.query_heads;
    context.kv_heads = c.shape.kv_heads;
    context.head_dim = c.shape.head_dim;
    context.rope_theta = theta;
    context.half_rotary = half;
    const auto policy = make_policy("triattention", {{"calibration", std::monostate()}}, context);
    CHECK(policy->needs().features.queries);
    CHECK_FALSE(policy->needs().features.half_rotary);
    const auto kept = c.keep(*policy);
    const CacheLayout layout(c.shape.layers, c.shape.kv_heads, TableKind::shared, c.scope);
    for (std::uint32_t set = 0; set < kept.size(); ++set) {
      const HeadRange heads = layout.heads(set);
      std::vector<double> best(c.live.size(), -1e9), mean(c.live.size());
      for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer) {
        std::vector<double> of_layer(c.live.size(), -1e9);
        for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
          for (const auto& row : plain_rows(c, layer, head, theta, half))
            for (std::size_t j = 0; j < row.size(); ++j)
              of_layer[j] = std::max(of_layer[j], row[j]);
        for (std::size_t j = 0; j < best.size(); ++j) {
          best[j] = std::max(best[j], of_layer[j]);
          mean[j] += of_layer[j];
        }
      }
      INFO(i << " " << enum_name(c.scope));
      // Of tokens that are alike but for rounding either may stay: scores are compared.
      const auto& scores = c.scope == Scope::model ? best : mean;
      Tokens expected = plain_choice(c.live, scores, c.length, {}, c.options.budget);
      const auto worst = [&](const Tokens& tokens) {
        double least = 1e9;
        for (std::size_t j = 0; j < scores.size(); ++j)
          if (std::binary_search(tokens.begin(), tokens.end(), c.live[j]))
            least = std::min(least, scores[j]);
        return least;
      };
      CHECK(kept[set].size() == expected.size());
      CHECK(worst(kept[set]) == Approx(worst(expected)).margin(1e-4));
    }
    ++checked;
  }
  CHECK(checked > 20);
}

TEST_CASE("triattention: without a file, a head of an odd number of components is refused") {
  PolicyContext context;
  context.layers = context.query_heads = context.kv_heads = 1;
  context.head_dim = 7;
  context.rope_theta = 10000;
  CHECK_THROWS_WITH(make_policy("triattention", {{"calibration", std::monostate()}}, context),
                    Catch::Contains("head_dim is 7"));
}
