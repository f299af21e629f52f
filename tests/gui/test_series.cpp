// SPDX-License-Identifier: Apache-2.0
// Columns of a series and of marks, against the plainest loops over all rows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "gui/model/series.hpp"
#include "gui/model/time_columns.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

TEST_CASE("columns hold the least, the greatest and the last of what held in them", "[series]") {
  std::mt19937 engine(7);
  Series series;
  std::vector<std::int64_t> times, values;
  std::int64_t now = 0;
  for (int i = 0; i < 3'000; ++i) {
    now += static_cast<std::int64_t>(engine() % 3);
    times.push_back(now);
    values.push_back(static_cast<std::int64_t>(engine() % 1'000) - 500);
    SeriesRow row{};
    row[static_cast<std::size_t>(SeriesId::hole)] = values.back();
    series.append(now, static_cast<std::uint64_t>(i), row);
  }
  std::vector<SeriesColumn> columns;
  for (int i = 0; i < 200; ++i) {
    const auto first = static_cast<std::int64_t>(engine() % 3'200) - 50;
    const TimeRange range{first, first + 1 + static_cast<std::int64_t>(engine() % 3'000)};
    const std::size_t n = 1 + engine() % 300;
    series.query(SeriesId::hole, range, n, columns);
    REQUIRE(columns.size() == n);
    for (std::size_t c = 0; c < n; ++c) {
      const std::int64_t begin = column_start(range, n, c), end = column_start(range, n, c + 1);
      std::int64_t held = 0;  // before the column
      std::vector<std::int64_t> inside;
      bool at_start = false;
      for (std::size_t k = 0; k < times.size() && times[k] < end; ++k) {
        if (times[k] < begin) {
          held = values[k];
        } else {
          inside.push_back(values[k]);
          at_start = at_start || times[k] == begin;
        }
      }
      if (!at_start || inside.empty()) inside.insert(inside.begin(), held);
      REQUIRE(columns[c].min == *std::min_element(inside.begin(), inside.end()));
      REQUIRE(columns[c].max == *std::max_element(inside.begin(), inside.end()));
      REQUIRE(columns[c].last == inside.back());
    }
  }
  // Two thirds of the rows' own memory for all that stands above them.
  CHECK(series.bytes() <= 2 * series.size() * sizeof(std::int64_t) * (series_count + 2));
}

TEST_CASE("the series of a run are its metrics", "[series]") {
  for (const std::string& text :
       {small_lockstep("slide"), small_lockstep("none"), small_serving("vllm-main-2026-08")}) {
    RecordedRun run(scenario_of(text));
    run.run();
    const Recording& recording = *run.recording();
    REQUIRE(recording.state() == RunState::finished);
    const Summary& summary = *recording.summary();
    const Series& series = recording.series();
    const std::uint64_t last = series.size() - 1;
    const auto value = [&](SeriesId id) { return series.value(id, last); };
    CHECK(value(SeriesId::evicted_set_tokens) ==
          static_cast<std::int64_t>(summary.reclaim.evicted_set_tokens));
    CHECK(value(SeriesId::freed_blocks) == summary.reclaim.blocks_freed_by_eviction);
    CHECK(series.time_ns(last) == summary.run.virtual_time.value());
    CHECK(recording.end_ns() == summary.run.virtual_time.value());
    const std::uint64_t rounds =
        recording.marks().count(MarkKind::evict) + recording.marks().count(MarkKind::reclaim);
    CHECK(rounds == summary.reclaim.rounds);
    // Of every moment, all slots of the pool.
    const auto pool =
        static_cast<std::int64_t>(*recording.shape().blocks) * recording.shape().block_size;
    for (std::uint64_t i = 0; i <= last; ++i) {
      std::int64_t sum = 0;
      for (std::size_t id = 0; id < slot_class_count; ++id)
        sum += series.value(static_cast<SeriesId>(id), i);
      REQUIRE(sum == pool);
    }
    // Marks of all columns are all marks.
    std::vector<Marks::Counts> counts;
    recording.marks().columns({0, recording.end_ns() + 1}, 97, counts);
    std::uint64_t sum = 0;
    for (const Marks::Counts& column : counts)
      for (const std::uint32_t n : column)
        sum += n;
    CHECK(sum == recording.marks().size());
  }
}
