// SPDX-License-Identifier: Apache-2.0
// Two recordings side by side: where they part, the locked cursors, and tables of figures.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/two_runs.hpp"
#include "tests/gui/event_lines.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

/// The first line of events.jsonl that differs.
std::uint64_t first_difference(const Recording& a, const Recording& b) {
  const auto in_a = event_lines(a), in_b = event_lines(b);
  std::uint64_t n = 0;
  while (n < in_a.size() && n < in_b.size() && in_a[n] == in_b[n])
    ++n;
  return n;
}

const FigureRow& row_of(const std::vector<FigureRow>& rows, const std::string& name) {
  for (const FigureRow& row : rows)
    if (row.name == name) return row;
  FAIL("no row " << name);
  return rows.front();
}

}  // namespace

TEST_CASE("two runs part where their events first differ", "[two]") {
  const auto none = record(small_lockstep("none")), slide = record(small_lockstep("slide"));
  CHECK_FALSE(first_divergence(*none, *record(small_lockstep("none"))));
  const auto divergence = first_divergence(*none, *slide);
  REQUIRE(divergence);
  CHECK(divergence->event == first_difference(*none, *slide));
  // Both evict the same tokens; only then does one move them.
  CHECK_THAT(divergence->sentence, Catch::StartsWith("Sequence ") &&
                                       Catch::Contains(" in both runs. A: ") &&
                                       Catch::Contains(" B: "));
  const auto other_seed = record(small_lockstep("slide", 2));
  CHECK(first_divergence(*slide, *other_seed)->event == first_difference(*slide, *other_seed));
}

TEST_CASE("both cursors stand at one time", "[two]") {
  TwoRuns runs(record(small_lockstep("none")), record(small_lockstep("slide")));
  REQUIRE(runs.seek_divergence());
  CHECK(runs.a().event() == runs.divergence()->event + 1);
  CHECK(runs.b().event() == runs.divergence()->event + 1);
  runs.seek_time(0);
  std::vector<std::int64_t> forward = {runs.time_ns()};
  while (runs.step(StepUnit::iteration)) {
    CHECK(runs.a().time_ns() <= runs.time_ns());
    CHECK(runs.b().time_ns() <= runs.time_ns());
    CHECK(runs.time_ns() > forward.back());
    forward.push_back(runs.time_ns());
  }
  CHECK(runs.time_ns() == runs.end_ns());
  for (std::size_t i = forward.size() - 1; i-- > 0;) {
    REQUIRE(runs.step(StepUnit::iteration, -1));
    CHECK(runs.time_ns() == forward[i]);
  }
  // A round that freed blocks: here only one of them has such.
  runs.seek_time(0);
  REQUIRE(runs.step(StepUnit::round));
  CHECK(runs.time_ns() == runs.b().recording().marks().next(MarkKind::reclaim, 0)->time_ns);
}

TEST_CASE("tables of figures have differences with their sign and size", "[two]") {
  const auto none = record(small_lockstep("none")), slide = record(small_lockstep("slide"));
  TwoRuns runs(none, slide);
  runs.seek_time(runs.end_ns());
  const auto rows = figure_table(figures_at(runs.a()), figures_at(runs.b()));
  CHECK(row_of(rows, "Tokens evicted").difference == "same");
  const FigureRow& holes = row_of(rows, "Hole ratio");
  CHECK_THAT(holes.difference, Catch::StartsWith("\u2212") && Catch::EndsWith("pp"));
  CHECK(holes.size < 0);
  const FigureRow& freed = row_of(rows, "Blocks freed");
  CHECK(freed.difference.front() == '+');
  CHECK(freed.size > 0);

  const auto end = summary_table(*none->summary(), *slide->summary());
  CHECK(row_of(end, "Tokens evicted").difference == "same");
  CHECK(row_of(end, "Blocks freed").a == freed.a);
  CHECK(row_of(end, "Blocks freed").b == freed.b);
  CHECK(row_of(end, "Peak held blocks").a == row_of(rows, "Peak held blocks").a);
  CHECK(row_of(end, "Reclaim efficiency").b == row_of(rows, "Reclaim efficiency").b);

  const PoolDifference blocks = difference(runs.a().replica().view(), runs.b().replica().view());
  std::uint64_t sum = 0;
  for (const std::uint64_t count : blocks.counts)
    sum += count;
  CHECK(sum == blocks.blocks.size());
  const auto held = [](const Cursor& cursor) { return cursor.replica().figures().held_blocks; };
  const auto count = [&](BlockDifference d) { return blocks.counts[static_cast<std::size_t>(d)]; };
  CHECK(held(runs.a()) - held(runs.b()) ==
        count(BlockDifference::only_a) - count(BlockDifference::only_b));
}
