// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/parallel.hpp"
#include "sim/sweep/pareto.hpp"
#include "sim/sweep/result_files.hpp"
#include "sim/sweep/results.hpp"
#include "sim/sweep/tables.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/sweep/sweep_text.hpp"

using namespace vacancy;
using test::small_sweep;

namespace {

RunRecord record(std::uint64_t run, RunState state, double rounds, const std::string& reason = "") {
  RunRecord result{run, state, reason, {}};
  if (state == RunState::done || state == RunState::unfinished)
    result.summary = {{"reclaim", {{"rounds", rounds}}}};
  return result;
}

std::map<std::uint64_t, RunRecord> by_run(const std::vector<RunRecord>& records) {
  std::map<std::uint64_t, RunRecord> result;
  for (const RunRecord& each : records)
    result.emplace(each.run, each);
  return result;
}

Sweep two_by_two(const std::string& more) {
  return small_sweep(R"({"grid": [{"key": "cache.block_size", "name": "size", "values": [4, 8]},
                                  {"key": "reclaim.kind", "values": ["none", "slide"]}]})",
                     more);
}

}  // namespace

TEST_CASE("a spread is the mean and the deviation of the sample") {
  CHECK_FALSE(spread_of({}).mean);
  CHECK(spread_of({3}).mean == 3.0);
  CHECK_FALSE(spread_of({3}).deviation);
  // 2, 4, 4, 4, 5, 5, 7, 9: sum of squares 32, divided by 7.
  const Spread spread = spread_of({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(spread.mean == 5.0);
  CHECK(*spread.deviation == Approx(std::sqrt(32.0 / 7)));
}

TEST_CASE("a point is what its runs are") {
  const Sweep sweep = two_by_two(R"(, "seeds": [1, 2], "figures": ["reclaim.rounds"])");
  const auto results =
      results_of(sweep,
                 by_run({record(0, RunState::done, 1), record(1, RunState::done, 3),
                         record(2, RunState::done, 5), record(3, RunState::unfinished, 90, "full"),
                         record(4, RunState::unfinished, 7, "full"),
                         record(5, RunState::unfinished, 9, "full"),
                         record(6, RunState::empty, 0, "means nothing"),
                         record(7, RunState::empty, 0, "means nothing")}),
                 4);
  REQUIRE(results.points.size() == 4);
  const auto check = [&](std::size_t point, RunState state, std::uint64_t completed,
                         std::optional<double> mean) {
    INFO(point);
    CHECK(results.points[point].state == state);
    CHECK(results.points[point].completed == completed);
    CHECK(results.points[point].figures[0].mean == mean);
  };
  check(0, RunState::done, 2, 2.0);
  check(1, RunState::unfinished, 1, 5.0);  // what did not complete does not count
  check(2, RunState::unfinished, 0, 8.0);
  check(3, RunState::empty, 0, std::nullopt);
  CHECK(results.points[1].reason == "full");
  CHECK(reasons(results, RunState::empty) ==
        std::vector<std::pair<std::string, std::uint64_t>>{{"means nothing", 1}});

  const auto tables = pivot_tables(sweep, results, sweep.tables.at(0));
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].header == std::vector<std::string>{"size", "none", "slide"});
  CHECK(tables[0].rows ==
        std::vector<std::vector<std::string>>{{"4", "2 ± 1.414", "5"}, {"8", "(8 ± 1.414)", "–"}});
  CHECK(results_csv(sweep, results) ==
        "point,size,reclaim.kind,state,runs,completed,reclaim.rounds,reclaim.rounds.sd,reason\n"
        "0,4,none,done,2,2,2,1.4142135623730951,\n"
        "1,4,slide,unfinished,2,1,5,,full\n"
        "2,8,none,unfinished,2,0,8,1.4142135623730951,full\n"
        "3,8,slide,void,2,0,,,means nothing\n");
  const auto json = nlohmann::json::parse(results_json(sweep, results));
  CHECK(json["points"][0]["at"] == nlohmann::json{{"size", 4}, {"reclaim.kind", "none"}});
  CHECK(json["points"][3]["figures"]["reclaim.rounds"]["mean"].is_null());
}

TEST_CASE("axes that a table leaves over make a table each") {
  const Sweep sweep = two_by_two(
      R"(, "figures": ["reclaim.rounds"], "tables": [{"rows": ["size"], "columns": [], "value": "reclaim.rounds"}])");
  const auto results =
      results_of(sweep,
                 by_run({record(0, RunState::done, 1), record(1, RunState::done, 2),
                         record(2, RunState::done, 3), record(3, RunState::done, 4)}),
                 4);
  const auto tables = pivot_tables(sweep, results, sweep.tables[0]);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].title == "reclaim.rounds: reclaim.kind none");
  CHECK(tables[1].title == "reclaim.rounds: reclaim.kind slide");
  CHECK(tables[1].rows == std::vector<std::vector<std::string>>{{"4", "2"}, {"8", "4"}});
}

TEST_CASE("the Pareto front is what no point beats") {
  test::Random random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<PointResult> points(1 + random.below(12));
    for (PointResult& point : points) {
      if (random.below(8) == 0) point.state = RunState::unfinished;
      for (int figure = 0; figure < 3; ++figure) {
        Spread spread;
        if (random.below(12) > 0) spread.mean = static_cast<double>(random.below(4));
        point.figures.push_back(spread);
      }
    }
    mark_front({{0, 2}, {1}}, points);
    // By the words of the definition.
    const auto takes_part = [](const PointResult& point) {
      return point.state == RunState::done && point.figures[0].mean && point.figures[1].mean &&
             point.figures[2].mean;
    };
    for (const PointResult& point : points) {
      bool beaten = false;
      for (const PointResult& other : points) {
        if (!takes_part(point) || !takes_part(other)) continue;
        const bool as_good = *other.figures[0].mean >= *point.figures[0].mean &&
                             *other.figures[1].mean <= *point.figures[1].mean &&
                             *other.figures[2].mean >= *point.figures[2].mean;
        const bool better = *other.figures[0].mean > *point.figures[0].mean ||
                            *other.figures[1].mean < *point.figures[1].mean ||
                            *other.figures[2].mean > *point.figures[2].mean;
        beaten = beaten || (as_good && better);
      }
      CHECK(point.on_front == (takes_part(point) && !beaten));
    }
  }
}

TEST_CASE("figures for people") {
  CHECK(short_number(12031) == "12,031");
  CHECK(short_number(0.14017857) == "0.1402");
  CHECK(short_number(123.456) == "123.5");
  CHECK(short_number(-0.5) == "-0.5000");
  CHECK(short_number(0.000012345) == "1.234e-05");
  CHECK(figure_text({1, 0.14017857, {}}, "share") == "14.0 %");
  CHECK(figure_text({2, 0.14, 0.01}, "share") == "14.0 ± 1.0 %");
  CHECK(figure_text({1, 1536.0, {}}, "bytes") == "1.5 KiB");
  CHECK(figure_text({}, "share") == "–");
}

TEST_CASE("work in parallel is done once each, and the first exception comes through") {
  for (const std::size_t jobs : {1u, 3u, 16u}) {
    std::vector<int> done(500);
    in_parallel(
        done.size(), jobs, [&](std::size_t i) { ++done[i]; }, [] {});
    CHECK(done == std::vector<int>(500, 1));
  }
  in_parallel(
      0, 2, [](std::size_t) { FAIL("nothing to do"); }, [] {});
  CHECK_THROWS_AS(in_parallel(
                      50, 3,
                      [](std::size_t i) {
                        if (i == 7) throw std::runtime_error("seven");
                      },
                      [] {}),
                  std::runtime_error);
}
