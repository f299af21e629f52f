// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gui/widgets/run_session.hpp"
#include "tests/gui/gui_scenarios.hpp"

namespace {

using namespace vacancy;
using namespace vacancy::gui;

/// 100 blocks of 8, evicted from once at their end: all in one millisecond.
constexpr auto one_instant = R"({"seed": 2, "model": "qwen3-8b", "cache": {"block_size": 8},
  "eviction": {"policy": "random", "scope": "model", "budget": 80, "prompt": "evictable",
               "trigger": "once", "once": {"at": "end"}},
  "workload": {"sequences": 1, "prompt_tokens": 800}})";

TEST_CASE("a run in one instant is laid out by its events") {
  RunSession session;
  session.adopt(vacancy::test::record(one_instant), QStringLiteral("instant.json"));
  REQUIRE(session.axis_unit() == AxisUnit::events);
  const std::uint64_t events = session.recording().events();
  const TimeSpan all = session.span(AxisUnit::events);
  CHECK(all == TimeSpan{0, static_cast<std::int64_t>(events) + 1});
  // A column a moment: each is what the replica has wherever a row was written.
  const auto columns = session.columns(all, static_cast<int>(all.length()), AxisUnit::events);
  const Series& series = session.recording().series();
  std::uint8_t glyphs = 0;
  for (std::uint64_t row = 0; row < series.size(); ++row) {
    session.seek(series.event(row));
    const TimelineColumn& column = columns[session.moment()];
    CHECK(session.place(AxisUnit::events) == static_cast<std::int64_t>(session.moment()));
    CHECK(column.slots == session.column_now().slots);
    CHECK(column.promised == session.column_now().promised);
    CHECK(column.returned == session.column_now().returned);
  }
  for (const TimelineColumn& column : columns)
    glyphs |= column.glyphs;
  CHECK((glyphs & bit_of(Glyph::admit)) != 0);
  CHECK((glyphs & (bit_of(Glyph::evict) | bit_of(Glyph::reclaim))) != 0);
  CHECK(columns.front().promised == 0);
  CHECK(columns.back().promised == 720);
  // Fewer and more columns than moments end in the same state.
  for (const int count : {1, 3, 1000})
    CHECK(session.columns(all, count, AxisUnit::events).back().slots == columns.back().slots);
  session.seek_place(2, AxisUnit::events);
  CHECK(session.moment() == 2);
  CHECK(place_label(2, AxisUnit::events) == "event\u00A02");
}

TEST_CASE("a run that takes time is laid out by time") {
  RunSession session;
  session.adopt(vacancy::test::record(vacancy::test::small_lockstep()),
                QStringLiteral("time.json"));
  CHECK(session.axis_unit() == AxisUnit::nanoseconds);
  CHECK(session.span(AxisUnit::nanoseconds).to == session.recording().end_ns() + 1);
  CHECK(session.place(AxisUnit::nanoseconds) == session.time_ns());
}

}  // namespace
