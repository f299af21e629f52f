// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "gpu_backend/simt/host/sanitizers.hpp"
#include "sim/units/philox.hpp"
#include "tests/gpu/cached_case.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/schedules.hpp"
#include "tests/support/worst_error.hpp"

namespace vacancy::test {
namespace {

namespace reference = gpu::reference;

constexpr double tolerance = 2e-6;  // of the sum of the terms' magnitudes

TEST_CASE("random scores are the simulator's, bit for bit") {
  VACANCY_ON_DEVICE(device);
  constexpr int requests = 3, sets = 4;
  const int length = simt::host::finds_races ? 300 : 100000;
  const std::vector<std::uint32_t> sequences{0, 7, 0xFFFFFFFF}, rounds{1, 0, 12345};
  std::vector<std::uint32_t> tokens(static_cast<std::size_t>(requests * sets * length));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const PhiloxKey key = philox_key(0x123456789ABCDEF0u);
  const gpu::Buffer<std::uint32_t> s(device, sequences), r(device, rounds), t(device, tokens);
  const gpu::Buffer<std::uint32_t> out(device, tokens.size());
  for (const bool by_id : {true, false}) {
    device.run(gpu::RandomScores{.sequences = s.data(),
                                 .rounds = r.data(),
                                 .tokens = by_id ? t.data() : nullptr,
                                 .requests = requests,
                                 .sets = sets,
                                 .length = length,
                                 .key = {key[0], key[1]},
                                 .scores = out.data()});
    const auto got = out.download();
    std::size_t wrong = 0, i = 0;
    for (std::uint32_t request = 0; request < requests; ++request)
      for (std::uint32_t set = 0; set < sets; ++set)
        for (std::uint32_t token = 0; token < static_cast<std::uint32_t>(length); ++token, ++i)
          wrong +=
              philox4x32_10({sequences[request], set, rounds[request], by_id ? tokens[i] : token},
                            key)[0] != got[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("norms and ranges of keys and values") {
  VACANCY_ON_DEVICE(device);
  for (const auto& options : std::vector<CachedCase::Options>{
           {},
           {.head_dim = 64, .element = gpu::ElementType::fp8, .tokens = {18}},
           {.element = gpu::ElementType::fp32, .tokens = {18}},
           {.head_dim = 256, .slots = 32}}) {
    const CachedCase given(device, options);
    const std::int64_t stride = given.longest();
    const auto count = static_cast<std::size_t>(given.requests() * options.layers * options.heads) *
                       static_cast<std::size_t>(stride);
    const gpu::Buffer<float> scores(device, count);
    for (const auto statistic :
         {gpu::RowStatistic::negative_key_norm, gpu::RowStatistic::value_over_key_norm,
          gpu::RowStatistic::value_range}) {
      device.run(gpu::RowStatistics{
          .rows = given.rows(), .statistic = statistic, .scores = scores.data(), .stride = stride});
      const auto got = scores.download();
      WorstError worst;
      std::size_t row = 0;
      for (int r = 0; r < given.requests(); ++r)
        for (int layer = 0; layer < options.layers; ++layer)
          for (int head = 0; head < options.heads; ++head, ++row) {
            const auto k = given.matrix(r, layer, 0, head), v = given.matrix(r, layer, 1, head);
            reference::Vector wanted = reference::key_norms(k);
            if (statistic == gpu::RowStatistic::value_over_key_norm)
              wanted = reference::norm_ratios(k, v);
            if (statistic == gpu::RowStatistic::value_range)
              wanted = v.rowwise().maxCoeff() - v.rowwise().minCoeff();
            for (int i = 0; i < given.length(r); ++i) {
              const double x =
                  got[row * static_cast<std::size_t>(stride) + static_cast<std::size_t>(i)];
              worst.add(std::abs(x - wanted[i]) / std::abs(wanted[i]));
            }
          }
      CHECK(worst.value() <= tolerance);
    }
  }
}

TEST_CASE("rows that lie in pieces are refused by kernels that compute") {
  VACANCY_ON_DEVICE(device);
  CachedCase given(device, {.order = gpu::PoolOrder::units_first, .tokens = {20}});
  const gpu::Buffer<float> scores(device, std::size_t{1024});
  CHECK_THROWS_WITH(
      device.run(gpu::RowStatistics{.rows = given.rows(), .scores = scores.data(), .stride = 32}),
      Catch::Matchers::Contains("RowStatistics: rows of a pool must lie in one piece"));
}

TEST_CASE("KeyDiff: keys beside the sum of all directions, a key without length like no other") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const auto& options : std::vector<CachedCase::Options>{
           {.tokens = {90, 1}},
           {.head_dim = 64, .slots = 32, .element = gpu::ElementType::fp8, .tokens = {3, 130}},
           {.layers = 1, .head_dim = 64, .element = gpu::ElementType::fp32, .tokens = {21}},
           {.layers = 1, .heads = 1, .head_dim = 256, .tokens = {70}}}) {
    const WithSchedule with(in_turn(number++));
    CachedCase given(device, options);
    auto& image = given.memory.images[0];
    image.set_row(0, 0, 0, given.memory.tables[0][0], 0,
                  std::vector<std::uint8_t>(image.row_bytes()));
    given.memory.upload();
    const std::int64_t stride = given.longest() + 3;
    const auto rows = static_cast<std::size_t>(given.requests() * options.layers * options.heads);
    const gpu::Buffer<float> scores(device, rows * static_cast<std::size_t>(stride)),
        anchors(device, rows * static_cast<std::size_t>(options.head_dim));
    device.run(gpu::KeyDifference{.rows = given.rows(),
                                  .scores = scores.data(),
                                  .anchors = anchors.data(),
                                  .stride = stride});
    const auto got = scores.download();
    WorstError worst;
    std::int64_t row = 0;
    for (int r = 0; r < given.requests(); ++r)
      for (int layer = 0; layer < options.layers; ++layer)
        for (int head = 0; head < options.heads; ++head, ++row) {
          const auto wanted = reference::key_difference(given.matrix(r, layer, 0, head));
          for (std::int64_t i = 0; i < stride; ++i) {
            const float x = got[static_cast<std::size_t>(row * stride + i)];
            if (i >= given.length(r))
              CHECK(std::isnan(x));  // not written
            else if (row == 0 && i == 0)
              CHECK(x == 0);
            else
              worst.add(std::abs(double{x} - wanted.value[i]) / wanted.magnitude[i]);
          }
        }
    CHECK(worst.value() <= tolerance);
  }
}

TEST_CASE("LagKV: shares of partitions by the ranges of the next, and ranks inside them") {
  VACANCY_ON_DEVICE(device);
  std::size_t number = 0;
  for (const int lag : {5, 16, 300})
    for (const auto& options : std::vector<CachedCase::Options>{
             {.tokens = {90, 12}},
             {.head_dim = 64, .slots = 32, .element = gpu::ElementType::fp8, .tokens = {3, 130}},
             {.layers = 1, .heads = 1, .head_dim = 256, .tokens = {640}}}) {
      if (simt::host::finds_races && number > 2) continue;
      const WithSchedule with(in_turn(number++));
      const CachedCase given(device, options);
      const std::vector<std::int32_t> begins{4, 1};
      const gpu::Buffer<std::int32_t> begin(device, begins);
      const std::int64_t stride = given.longest() + 3;
      const auto sets = static_cast<std::size_t>(given.requests() * options.layers * options.heads);
      const gpu::Buffer<float> scores(device, sets * static_cast<std::size_t>(stride)),
          shares(device, 2 * sets * static_cast<std::size_t>(stride));
      device.run(gpu::LagRanks{.rows = given.rows(),
                               .begin = begin.data(),
                               .lag = lag,
                               .scores = scores.data(),
                               .shares = shares.data(),
                               .stride = stride});
      const auto got = scores.download(), got_shares = shares.download();
      WorstError worst;
      std::int64_t set = 0;
      for (int r = 0; r < given.requests(); ++r)
        for (int layer = 0; layer < options.layers; ++layer)
          for (int head = 0; head < options.heads; ++head, ++set) {
            const int length = given.length(r), sinks = begins[static_cast<std::size_t>(r)];
            const int scored = std::max((length - sinks) / lag - 1, 0) * lag;
            std::vector<float> parts(static_cast<std::size_t>(length));
            for (int kind = 0; kind < 2; ++kind) {
              const auto wanted =
                  reference::lag_shares(given.matrix(r, layer, kind, head), sinks, lag);
              const std::int64_t row =
                  ((r * options.layers + layer) * 2 + kind) * options.heads + head;
              for (int i = sinks; i < sinks + scored; ++i) {
                const float share = got_shares[static_cast<std::size_t>(row * stride + i)];
                worst.add(std::abs(double{share} - wanted.value[i]) / wanted.magnitude[i]);
                parts[static_cast<std::size_t>(i)] += share;
              }
            }
            const auto wanted = reference::lag_ranks(vector_at(parts, 0, length), sinks, lag);
            for (int i = 0; i < length; ++i)
              CHECK(double{got[static_cast<std::size_t>(set * stride + i)]} == wanted[i]);
          }
      CHECK(worst.value() <= tolerance);
    }
}

TEST_CASE("LagKV: what lies behind the channels of a half row is not looked at") {
  VACANCY_ON_DEVICE(device);
  constexpr int lag = 5, dim = 64, channels = 48;
  CachedCase given(device, {.layers = 1,
                            .heads = 1,
                            .head_dim = dim,
                            .element = gpu::ElementType::fp32,
                            .tokens = {4 * lag}});
  constexpr std::size_t slots = 4 * lag;
  const gpu::Buffer<float> scores(device, slots), shares(device, 2 * slots);
  device.run(gpu::LagRanks{.rows = given.rows(),
                           .lag = lag,
                           .channels = channels,
                           .scores = scores.data(),
                           .shares = shares.data(),
                           .stride = slots});
  const auto got = shares.download();
  for (int kind = 0; kind < 2; ++kind) {
    const auto rows = given.matrix(0, 0, kind, 0);
    reference::Matrix of_channels(rows.rows(), channels);
    of_channels << rows.leftCols(channels / 2), rows.middleCols(dim / 2, channels / 2);
    const auto wanted = reference::lag_shares(of_channels, 0, lag);
    WorstError worst;
    for (int i = 0; i < 3 * lag; ++i)
      worst.add(
          std::abs(double{got[static_cast<std::size_t>(kind * 4 * lag + i)]} - wanted.value[i]) /
          wanted.magnitude[i]);
    CHECK(worst.value() <= tolerance);
  }
}

TEST_CASE("redundancy of keys leaves out the newest duplicate of each row") {
  VACANCY_ON_DEVICE(device);
  // Random keys are hardly ever above the first.
  for (const auto& [threshold, first_if_none] : std::vector<std::pair<double, bool>>{
           {0.5, true}, {0.5, false}, {0.05, true}, {0.05, false}}) {
    const CachedCase given(device, {.head_dim = 64, .tokens = {41, 1, 9}});
    const std::int64_t stride = 41;
    constexpr std::size_t rows = 3 * 2 * 2;
    const gpu::Buffer<float> scores(device, rows * 41), unit(device, rows * 41 * 64);
    const gpu::Buffer<std::int32_t> left_out(device, rows * 41);
    device.run(gpu::KeyRedundancy{.rows = given.rows(),
                                  .threshold = static_cast<float>(threshold),
                                  .first_if_none = first_if_none,
                                  .scores = scores.data(),
                                  .unit_keys = unit.data(),
                                  .left_out = left_out.data(),
                                  .stride = stride});
    const auto got = scores.download();
    std::size_t row = 0;
    WorstError worst;
    for (int r = 0; r < 3; ++r)
      for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head, ++row) {
          const auto wanted =
              reference::key_redundancy(given.matrix(r, layer, 0, head), threshold, first_if_none);
          for (int i = 0; i < given.length(r); ++i)
            worst.add(std::abs(got[row * 41 + static_cast<std::size_t>(i)] - wanted[i]));
        }
    CHECK(worst.value() <= tolerance);
  }
}

}  // namespace
}  // namespace vacancy::test
