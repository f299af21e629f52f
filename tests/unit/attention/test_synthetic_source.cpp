// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sim/attention/synthetic_source.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

using Options = SyntheticSourceOptions;

constexpr AttentionShape one_head{1, 1, 1, 0};

/// Only the share that a test looks at.
Options only(double Options::*share) {
  Options options;
  options.sink_share = options.recency_share = options.heavy_share = options.burst_share =
      options.uniform_share = 0.0;
  options.*share = 1.0;
  return options;
}

std::vector<float> row_of(const SequenceAttention& sequence, std::uint32_t head,
                          std::uint32_t query) {
  std::vector<float> row(query + 1);
  const auto& shape = sequence.shape();
  sequence.weights(head / shape.query_heads, head % shape.query_heads, query, row);
  return row;
}

std::unique_ptr<SequenceAttention> open(const SyntheticSource& source, std::uint32_t length,
                                        std::uint32_t id = 0) {
  auto sequence = source.open(SequenceId{id});
  sequence->advance(length);
  return sequence;
}

double sum(const std::vector<float>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

}  // namespace

TEST_CASE("every row of the synthetic process sums to 1") {
  const SyntheticSource source({}, {2, 4, 2, 0}, 7);
  const auto sequence = open(source, 600);
  for (std::uint32_t head = 0; head < 8; ++head)
    for (const std::uint32_t query : {0u, 1u, 2u, 3u, 4u, 31u, 256u, 599u}) {
      INFO("head " << head << ", query " << query);
      CHECK(sum(row_of(*sequence, head, query)) == Approx(1.0).epsilon(1e-5));
    }
}

TEST_CASE("sinks, recency and uniform shares go where they belong") {
  const SyntheticSource sinks(only(&Options::sink_share), one_head, 1);
  auto sequence = open(sinks, 100);
  auto row = row_of(*sequence, 0, 99);
  CHECK(row[0] == Approx(0.70));
  CHECK(row[1] == Approx(0.15));
  CHECK(row[2] == Approx(0.10));
  CHECK(row[3] == Approx(0.05));
  CHECK(row_of(*sequence, 0, 1)[0] == Approx(0.70 / 0.85));

  const SyntheticSource recency(only(&Options::recency_share), one_head, 1);
  row = row_of(*open(recency, 100), 0, 99);
  CHECK(double{row[98]} / double{row[99]} == Approx(std::pow(2.0, -1.2)));
  CHECK(double{row[0]} / double{row[99]} == Approx(std::pow(100.0, -1.2)));

  const SyntheticSource uniform(only(&Options::uniform_share), one_head, 1);
  row = row_of(*open(uniform, 100), 0, 99);
  for (const float weight : row)
    CHECK(weight == Approx(0.01));
}

TEST_CASE("heavy hitters have the stated fraction, run length and duty") {
  for (const double run : {1.0, 4.0, 16.0}) {
    auto options = only(&Options::heavy_share);
    options.heavy_run = run;
    options.heavy_permanent = 1.0;
    options.heavy_on = 1.0;  // a row shows every heavy token
    constexpr std::uint32_t length = 100'000;
    const SyntheticSource source(options, one_head, 3);
    const auto row = row_of(*open(source, length), 0, length - 1);
    double heavy = 0.0, runs = 0.0;
    for (std::size_t j = 1; j < row.size(); ++j) {
      heavy += row[j] > 0.0f ? 1.0 : 0.0;
      runs += row[j] > 0.0f && row[j - 1] == 0.0f ? 1.0 : 0.0;
    }
    // Standard deviation of the fraction: about 0.00045·sqrt(2·run).
    CHECK(heavy / length == Approx(0.02).margin(0.0018 * std::sqrt(2.0 * run)));
    CHECK(heavy / runs == Approx(run).epsilon(0.25));
    for (int j = 0; j < 4; ++j)
      CHECK(row[static_cast<std::size_t>(j)] == 0.0f);
  }

  auto options = only(&Options::heavy_share);
  options.heavy_permanent = 1.0;
  const SyntheticSource source(options, one_head, 3);
  const auto sequence = open(source, 20'000);
  const auto count_on = [&](std::uint32_t query) {
    const auto row = row_of(*sequence, 0, query);
    return std::count_if(row.begin(), row.end(), [](float weight) { return weight > 0.0f; });
  };
  double on = 0.0;
  for (std::uint32_t window = 0; window < 20; ++window)
    on += static_cast<double>(count_on(19'999 - 32 * window)) / 20.0;
  CHECK(on == Approx(0.25 * 0.02 * 20'000).epsilon(0.15));
  // On or off for a window as a whole.
  CHECK(count_on(19'968) == count_on(19'999));
}

TEST_CASE("temporary heavy hitters fade, permanent ones stay") {
  auto options = only(&Options::heavy_share);
  options.heavy_on = 1.0;
  options.heavy_permanent = 0.0;
  options.heavy_life = 100.0;
  const SyntheticSource source(options, one_head, 5);
  const auto row = row_of(*open(source, 20'000), 0, 19'999);
  const auto old = std::span(row).first(19'000);
  CHECK(std::all_of(old.begin(), old.end(), [](float weight) { return weight < 1e-12f; }));
  CHECK(sum(row) == Approx(1.0).epsilon(1e-5));
}

TEST_CASE("bursts attend to spans of the past for the stated share of queries") {
  const SyntheticSource source(only(&Options::burst_share), one_head, 11);
  const auto sequence = open(source, 40'000);
  double covered = 0.0, rows = 0.0;
  for (std::uint32_t query = 300; query < 40'000; query += 37, ++rows) {
    const auto row = row_of(*sequence, 0, query);
    // Without a burst all weight falls on recency, whose largest is the query's own token.
    covered += row[query] == 0.0f ? 1.0 : 0.0;
  }
  // Poisson bursts of mean duration 96 every 256 queries cover 1 - exp(-96/256) of them.
  CHECK(covered / rows == Approx(1.0 - std::exp(-96.0 / 256.0)).margin(0.06));
  CHECK(row_of(*sequence, 0, 200)[200] > 0.0f);  // none before query 256
}

TEST_CASE("correlation 1 gives equal rows, 0 independent ones, between them a mixture") {
  const AttentionShape shape{4, 8, 4, 0};
  Options options;
  const auto distinct_rows = [&](double correlation) {
    options.correlation = correlation;
    const SyntheticSource source(options, shape, 9);
    const auto sequence = open(source, 2000);
    std::vector<std::vector<float>> rows;
    for (std::uint32_t head = 0; head < 32; ++head)
      rows.push_back(row_of(*sequence, head, 1999));
    std::sort(rows.begin(), rows.end());
    return std::unique(rows.begin(), rows.end()) - rows.begin();
  };
  CHECK(distinct_rows(1.0) == 1);
  CHECK(distinct_rows(0.0) == 32);
  const auto between = distinct_rows(0.5);
  CHECK(between > 8);
  CHECK(between < 32);
}

TEST_CASE("synthetic rows do not depend on the order of calls or the steps of advance") {
  const SyntheticSource source({}, {1, 2, 1, 0}, 13);
  const auto at_once = open(source, 1000, 4);
  const auto in_steps = source.open(SequenceId{4});
  for (std::uint32_t length = 1; length <= 1000; length += 3)
    in_steps->advance(length);
  in_steps->advance(1000);
  const auto late = row_of(*at_once, 1, 999);
  const auto early = row_of(*at_once, 1, 500);
  CHECK(row_of(*in_steps, 1, 500) == early);
  CHECK(row_of(*in_steps, 1, 999) == late);
  CHECK(row_of(*open(source, 1000, 5), 1, 999) != late);
}

TEST_CASE("column sums add the rows of the group's heads") {
  Options options;
  options.correlation = 0.0;
  const SyntheticSource source(options, {1, 4, 2, 0}, 17);
  const auto sequence = open(source, 100);
  std::vector<double> sums(100), expected(100);
  sequence->add_column_sums(0, 1, 90, 100, sums);
  for (std::uint32_t head = 2; head < 4; ++head)
    for (std::uint32_t query = 90; query < 100; ++query) {
      const auto row = row_of(*sequence, head, query);
      for (std::size_t j = 0; j < row.size(); ++j)
        expected[j] += double{row[j]};
    }
  CHECK(sums == expected);
}

TEST_CASE("a synthetic source without any share is refused") {
  Options options = only(&Options::sink_share);
  options.sink_share = 0.0;
  CHECK_THROWS_AS(SyntheticSource(options, one_head, 1), UserError);
  options = {};
  options.query_heads = 3;
  options.kv_heads = 2;
  CHECK_THROWS_AS(SyntheticSource(options, one_head, 1), UserError);
}
