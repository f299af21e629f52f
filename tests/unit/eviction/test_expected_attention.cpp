// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/attention/real_source.hpp"
#include "sim/attention/rope.hpp"
#include "sim/eviction/query_statistics.hpp"
#include "sim/units/error.hpp"
#include "tests/support/policy_cases.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

struct ExpectedRule {
  std::uint32_t sinks = 4, future = 512;
  bool covariance = true, value_norm = true, half = true;
  double epsilon = 0;
};
constexpr double rope_base = 10000;

std::unique_ptr<EvictionPolicy> expected_attention(const ExpectedRule& rule,
                                                   double rope_theta = rope_base) {
  PolicyContext context;
  context.rope_theta = rope_theta;
  context.half_rotary = rule.half;
  return make_policy("expected_attention",
                     {{"sinks", std::int64_t{rule.sinks}},
                      {"future", std::int64_t{rule.future}},
                      {"covariance", rule.covariance},
                      {"value_norm", rule.value_norm},
                      {"epsilon", rule.epsilon}},
                     context);
}

/// The d x d rotation of rotary embedding at a position.
Matrix rotation(double position, std::size_t d, bool half) {
  Matrix r(d, Vector(d));
  for (std::size_t f = 0; f < d / 2; ++f) {
    const std::size_t a = half ? f : 2 * f, b = half ? f + d / 2 : 2 * f + 1;
    const double angle =
        position * std::pow(rope_base, -2.0 * static_cast<double>(f) / static_cast<double>(d));
    r[a][a] = r[b][b] = std::cos(angle);
    r[a][b] = -std::sin(angle);
    r[b][a] = std::sin(angle);
  }
  return r;
}

Matrix transposed(const Matrix& m) {
  Matrix t = m;
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < m.size(); ++j)
      t[i][j] = m[j][i];
  return t;
}
Vector times(const Matrix& m, const Vector& v) {
  Vector result;
  for (const Vector& row : m)
    result.push_back(plain_dot(row, v));
  return result;
}
Matrix times(const Matrix& a, const Matrix& b) {
  const Matrix columns = transposed(b);
  Matrix result;
  for (const Vector& row : a) {
    result.emplace_back();
    for (const Vector& column : columns)
      result.back().push_back(plain_dot(row, column));
  }
  return result;
}

/// Spec policies §3.15 with explicit matrices.
Vector plain_scores(const Case& c, std::uint32_t layer, std::uint32_t head,
                    const ExpectedRule& rule) {
  const std::size_t d = c.shape.head_dim, n = c.live.size();
  Matrix mean_rotation(d, Vector(d));
  for (std::uint32_t p = c.length; p < c.length + rule.future; ++p) {
    const Matrix r = rotation(p, d, rule.half);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        mean_rotation[i][j] += r[i][j] / rule.future;
  }
  Vector attention(n);
  for (std::uint32_t q = head * c.shape.group(); q < (head + 1) * c.shape.group(); ++q) {
    Vector mu(d);
    Matrix sigma(d, Vector(d)), queries;
    for (std::uint32_t p = rule.sinks; p < c.length; ++p)
      queries.push_back(
          times(transposed(rotation(p, d, rule.half)), query_of(*c.attention, layer, q, p)));
    const auto count = static_cast<double>(queries.size());
    for (const Vector& query : queries)
      for (std::size_t i = 0; i < d; ++i)
        mu[i] += query[i] / count;
    for (const Vector& query : queries)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          sigma[i][j] += (query[i] - mu[i]) * (query[j] - mu[j]) / count;
    const Vector mu_ahead = times(mean_rotation, mu);
    const Matrix sigma_ahead = times(times(mean_rotation, sigma), transposed(mean_rotation));
    Vector z;
    double sum = 0;
    for (const std::uint32_t token : c.live) {
      const Vector k = key_of(*c.attention, layer, head, token);
      double logit = plain_dot(k, mu_ahead) / std::sqrt(static_cast<double>(d));
      if (rule.covariance)
        logit += plain_dot(k, times(sigma_ahead, k)) / (2 * static_cast<double>(d));
      z.push_back(token < rule.sinks ? 0 : std::exp(logit));
      sum += z.back();
    }
    for (std::size_t i = 0; i < n; ++i)
      attention[i] += z[i] / sum / c.shape.group();
  }
  for (std::size_t i = 0; i < n; ++i)
    if (rule.value_norm)
      attention[i] = (attention[i] + rule.epsilon) *
                     plain_norm(value_of(*c.attention, layer, head, c.live[i]));
  return attention;
}

}  // namespace

TEST_CASE("expected_attention: a plain reading of the rule keeps the same tokens") {
  for (const ExpectedRule& rule :
       {ExpectedRule{}, ExpectedRule{4, 512, false, true, false, 0},
        ExpectedRule{0, 1, true, false, false}, ExpectedRule{2, 40, true, true, true, 0.02}})
    check_against_rule(
        *expected_attention(rule), 40, 12, 70, [&](const Case& c, const HeadRange& heads) {
          const auto scores = summed_scores(heads, c.live.size(), [&](auto layer, auto head) {
            return plain_scores(c, layer, head, rule);
          });
          return plain_choice(c.live, scores, c.length, {rule.sinks, 0}, c.options.budget);
        });
}

// One query direction for all positions, as the model turns it: the key that stands where such
// queries will look stays, and the turn of the pairs matters.
TEST_CASE("expected_attention: queries are un-rotated in the source's own pairing") {
  struct OneDirection final : SequenceAttention {
    explicit OneDirection(RopePairing pairing) : rotary(4, rope_base, pairing) { rotary.grow(600); }
    const AttentionShape& shape() const override { return shape_; }
    void advance(std::uint32_t) override {}
    std::uint32_t length() const override { return 40; }
    void weights(std::uint32_t, std::uint32_t, std::uint32_t, std::span<float>) const override {}
    void queries(std::uint32_t, std::uint32_t, std::uint32_t first,
                 std::span<float> out) const override {
      for (std::size_t at = 0; at < out.size(); at += 4, ++first) {
        out[at] = 3, out[at + 1] = 1, out[at + 2] = 2, out[at + 3] = -1;
        rotary.rotate(out.subspan(at, 4), first);
      }
    }
    /// Token 17 has the query's direction at the position that comes next, the others the opposite.
    void keys(std::uint32_t, std::uint32_t, std::uint32_t first,
              std::span<float> out) const override {
      for (std::size_t at = 0; at < out.size(); at += 4, ++first) {
        out[at] = 3, out[at + 1] = 1, out[at + 2] = 2, out[at + 3] = -1;
        rotary.rotate(out.subspan(at, 4), 40);
        for (std::size_t i = at; i < at + 4; ++i)
          out[i] *= first == 17 ? 1.0f : -1.0f;
      }
    }
    RotaryTable rotary;
    AttentionShape shape_{1, 1, 1, 4};
  };
  for (const bool half : {true, false}) {
    const OneDirection given(half ? RopePairing::half : RopePairing::interleaved);
    Case c;
    c.shape = given.shape();
    c.length = 40;
    c.attention = &given;
    c.options.budget = 1;
    CHECK(c.keep(*expected_attention({0, 1, false, false, half})).at(0) == Tokens{17});
  }
}

TEST_CASE(
    "expected_attention: the real model's queries, un-rotated, are those before its embedding") {
  const auto path = shared_file("data/stories260K/stories260K.bin");
  if (!path) return;
  const RealSource source(read_checkpoint(*path), {Tokenizer::begin_of_text}, {1.0, 1.0}, 1);
  CHECK(source.rope_theta() == 10000);
  CHECK_FALSE(source.features().half_rotary);
  const auto sequence = source.open(SequenceId(2));
  sequence->advance(200);
  const DecodeState& state = dynamic_cast<const RealSequence&>(*sequence).state();
  const std::uint32_t d = source.shape().head_dim;
  const RotaryBands rotary(source.rope_theta(), d, false);
  BandTurns turns;
  for (const std::uint32_t position : {0u, 1u, 57u, 199u}) {
    rotary.average(position, 1, turns);
    for (std::uint32_t q = 0; q < source.shape().query_heads; ++q) {
      std::vector<float> query(d);
      std::vector<double> before(d);
      sequence->queries(3, q, position, query);
      rotary.turn_back(query, turns, before);
      const auto expected = state.rows(HeadVector::query_before_rope, 3, q, position).first(d);
      for (std::uint32_t c = 0; c < d; ++c)
        CHECK(before[c] == Approx(double{expected[c]}).margin(1e-5));
    }
  }
}

TEST_CASE("expected_attention: no rotary base, or a weight of nothing, is the user's error") {
  CHECK_THROWS_WITH(expected_attention({}, 0), Catch::Contains("rope_theta"));
  CHECK_THROWS_WITH(expected_attention({4, 512, true, false, true, 0.1}),
                    Catch::Contains("value_norm"));
}
