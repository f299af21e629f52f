// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "gpu_backend/launch/triattention_rotations.hpp"
#include "gpu_backend/simt/host/sanitizers.hpp"
#include "tests/gpu/cached_case.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"
#include "tests/support/worst_error.hpp"

namespace vacancy::test {
namespace {

namespace reference = gpu::reference;

constexpr double tolerance = 2e-6;  // of the sum of the terms' magnitudes

/// Mean queries, and what turns them, of a model with `heads` query heads in all layers.
struct Calibrated {
  Calibrated(int heads, int dim, int offsets, bool folded, double factor)
      : bands(dim / 2), distances(folded ? 1 : offsets), mean(folded), scale(factor) {
    numbers = normals(static_cast<std::size_t>(heads * 3 * bands), 3);
    for (int f = 0; f < bands; ++f)
      frequencies.push_back(std::pow(1e6, -2.0 * f / dim));
    for (int d = 0; d < offsets; ++d)
      ahead.push_back(std::ldexp(1.0, d));
    if (offsets == 0)
      distances = 0;
    else
      rotations = gpu::triattention_rotations(frequencies, 1u << (offsets - 1), mean, scale);
  }

  /// Of head `head`, for the kernel that reads them: re, im of each distance, then w.
  reference::Matrix weights(int head, double position) const {
    const auto first = static_cast<std::size_t>(head * 3 * bands);
    const auto row = [&](int i) {
      return vector_at(numbers, first + static_cast<std::size_t>(i * bands), bands);
    };
    Eigen::VectorXcd query(bands);
    query.real() = scale * row(0);
    query.imag() = scale * row(1);
    reference::Matrix all(2 * distances + 1, bands);
    if (distances > 0)
      all.topRows(2 * distances) = reference::triattention_weights(
          query, Eigen::Map<const reference::Vector>(frequencies.data(), bands), ahead, mean,
          position);
    all.row(2 * distances) = row(2);
    return all;
  }

  int bands, distances;
  bool mean;
  double scale;
  std::vector<float> numbers;
  std::vector<double> frequencies, rotations, ahead;
};

gpu::Buffer<float> made_weights(gpu::Device& device, const Calibrated& given, int layers,
                                int query_heads, const std::vector<std::int32_t>& positions) {
  const gpu::Buffer calibration(device, given.numbers);
  const gpu::Buffer frequencies(device, given.frequencies), rotations(device, given.rotations);
  const gpu::Buffer at(device, positions);
  const auto requests = static_cast<int>(positions.size());
  gpu::Buffer<float> weights(device, static_cast<std::size_t>(requests * layers * query_heads *
                                                              (2 * given.distances + 1)) *
                                         static_cast<std::size_t>(given.bands));
  device.run(gpu::TriAttentionWeights{.calibration = calibration.data(),
                                      .frequencies = frequencies.data(),
                                      .rotations = rotations.data(),
                                      .positions = at.data(),
                                      .requests = requests,
                                      .layers = layers,
                                      .query_heads = query_heads,
                                      .bands = given.bands,
                                      .distances = given.distances,
                                      .weights = weights.data()});
  return weights;
}

TEST_CASE("TriAttention weights: a float's rounding off those in double, at any position") {
  VACANCY_ON_DEVICE(device);
  const std::vector<std::int32_t> positions{0, 1, 20'011, 131'071, 1 << 30};
  std::size_t number = 0;
  for (const int dim : {64, 128, 256})
    for (const auto& [offsets, mean] :
         std::vector<std::pair<int, bool>>{{17, true}, {17, false}, {3, false}, {0, false}}) {
      CAPTURE(dim, offsets, mean);
      const WithSchedule with(in_turn(number++));
      constexpr int layers = 2, query_heads = 9;  // no multiple of what a block has
      const Calibrated given(layers * query_heads, dim, offsets, mean, dim == 64 ? 1.25 : 1.0);
      const auto got = made_weights(device, given, layers, query_heads, positions).download();
      WorstError worst;  // over what is allowed
      std::size_t at = 0;
      for (const std::int32_t position : positions)
        for (int head = 0; head < layers * query_heads; ++head) {
          const reference::Matrix wanted = given.weights(head, position);
          for (Eigen::Index row = 0; row < wanted.rows(); ++row)
            for (int f = 0; f < given.bands; ++f, ++at) {
              const auto first = static_cast<std::size_t>(head * 3 * given.bands + f);
              const double modulus =
                  given.scale *
                  std::hypot(given.numbers[first],
                             given.numbers[first + static_cast<std::size_t>(given.bands)]);
              const double angle = (position + std::ldexp(1.0, offsets)) *
                                   given.frequencies[static_cast<std::size_t>(f)];
              const double allowed =
                  std::ldexp(std::abs(wanted(row, f)), -24) + 1e-15 * (1 + angle) * modulus;
              worst.add(std::abs(double{got[at]} - wanted(row, f)) / allowed);
            }
        }
      CHECK(at == got.size());
      CHECK(worst.value() <= 1);
    }
}

struct ScoreCase {
  CachedCase::Options cache;
  int group, offsets;
  bool mean;
};

/// The farthest that a score is off, over the magnitudes of its terms.
double worst_score(gpu::Device& device, const ScoreCase& c) {
  const CachedCase given(device, c.cache);
  const int layers = c.cache.layers, query_heads = c.cache.heads * c.group;
  const Calibrated model(layers * query_heads, c.cache.head_dim, c.offsets, c.mean, 1);
  std::vector<std::int32_t> positions;
  for (int r = 0; r < given.requests(); ++r)
    positions.push_back(100'000 + 128 * r);
  const auto weights = made_weights(device, model, layers, query_heads, positions);
  const std::int64_t stride = given.longest() + 3;
  const gpu::Buffer<float> scores(
      device, static_cast<std::size_t>(given.requests() * layers * query_heads) *
                  static_cast<std::size_t>(stride));
  device.run(gpu::TriAttentionScores{.rows = given.rows(),
                                     .weights = weights.data(),
                                     .query_heads = query_heads,
                                     .distances = model.distances,
                                     .scores = scores.data(),
                                     .stride = stride});
  const auto got = scores.download();
  WorstError worst;
  std::size_t at = 0, written_behind = 0;
  for (int r = 0; r < given.requests(); ++r)
    for (int layer = 0; layer < layers; ++layer)
      for (int q = 0; q < query_heads; ++q) {
        const reference::Matrix rows =
            model.weights(layer * query_heads + q, positions[static_cast<std::size_t>(r)]);
        reference::Matrix re(model.distances, model.bands), im(model.distances, model.bands);
        for (int d = 0; d < model.distances; ++d) {
          re.row(d) = rows.row(2 * d);
          im.row(d) = rows.row(2 * d + 1);
        }
        const auto wanted = reference::triattention(given.matrix(r, layer, 0, q / c.group), re, im,
                                                    rows.row(2 * model.distances));
        for (std::int64_t i = 0; i < stride; ++i, ++at)
          if (i >= given.length(r))
            written_behind += !std::isnan(got[at]);
          else
            worst.add(std::abs(double{got[at]} - wanted.value[i]) / wanted.magnitude[i]);
      }
  CHECK(written_behind == 0);
  return worst.value();
}

TEST_CASE("TriAttention scores: mean folded in, maximum over distances, norms alone") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const auto& [offsets, mean] :
       std::vector<std::pair<int, bool>>{{17, true}, {17, false}, {0, false}})
    for (const auto& options : std::vector<CachedCase::Options>{
             {},
             {.head_dim = 64, .slots = 32, .element = gpu::ElementType::fp8, .tokens = {1, 130}},
             {.layers = 1, .head_dim = 64, .element = gpu::ElementType::fp32, .tokens = {21}},
             {.layers = 1, .heads = 1, .head_dim = 256, .tokens = {70}}}) {
      if (simt::host::finds_races && number > 0) continue;
      CAPTURE(offsets, mean, options.head_dim);
      const WithSchedule with(in_turn(number++));
      CHECK(worst_score(device, {options, 3, offsets, mean}) <= tolerance);
    }
}

TEST_CASE("TriAttention scores of any query group: in parts where its weights are too many") {
  VACANCY_ON_DEVICE(device);
  for (int group = 1; group <= 16; ++group) {
    if (simt::host::finds_races && group > 1) break;
    CAPTURE(group);
    const CachedCase::Options small{.layers = 1, .head_dim = 64, .tokens = {9}};
    CHECK(worst_score(device, {small, group, 17, true}) <= tolerance);
    // 35 rows of 128 bands a member: 17.5 KiB, of which four are a part.
    const CachedCase::Options large{.layers = 1, .heads = 1, .head_dim = 256, .tokens = {5}};
    CHECK(worst_score(device, {large, group, 17, false}) <= tolerance);
  }
}

TEST_CASE("TriAttention scores of more slots than a slice, whose blocks share them") {
  VACANCY_ON_DEVICE(device);
  if (simt::host::finds_races) return;
  const CachedCase::Options options{.layers = 1, .heads = 1, .tokens = {1'100, 600}};
  CHECK(worst_score(device, {options, 2, 17, true}) <= tolerance);
}

TEST_CASE("TriAttention: what no kernel has is refused with the numbers that are too large") {
  VACANCY_ON_DEVICE(device);
  const CachedCase given(device, {.layers = 1, .heads = 1, .head_dim = 256, .tokens = {5}});
  CHECK_THROWS_WITH(device.run(gpu::TriAttentionScores{
                        .rows = given.rows(), .query_heads = 16, .distances = 1'000, .stride = 5}),
                    Catch::Contains("head of 256 elements for 1000 distances take 1024512 bytes") &&
                        Catch::Contains("fewer distances"));
  CHECK_THROWS_WITH(device.run(gpu::TriAttentionWeights{.bands = 48}), Catch::Contains("not 48"));
}

}  // namespace
}  // namespace vacancy::test
