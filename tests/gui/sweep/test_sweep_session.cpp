// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QSignalSpy>
#include <catch2/catch.hpp>
#include <cmath>

#include "gui/model/sweep/sweep_session.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/study/scenario_run.hpp"
#include "sim/sweep/run_record.hpp"
#include "sim/units/error.hpp"
#include "tests/gui/sweep/small_sweep.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::test::SweepFolder;

namespace {

void run_to_end(SweepSession& session, const SweepFolder& folder) {
  session.start(folder.out(), 2);
  session.wait();
  QCoreApplication::processEvents();
}

}  // namespace

TEST_CASE("A sweep runs beside the window and ends with all its points") {
  const SweepFolder folder;
  SweepSession session;
  QSignalSpy results(&session, &SweepSession::results_changed);
  session.open(folder.file());
  CHECK(session.progress().total == 12);
  run_to_end(session, folder);
  REQUIRE(session.status() == SweepSession::Status::finished);
  REQUIRE(session.results()->points.size() == 6);
  CHECK(session.results()->count(RunState::empty) == 1);
  CHECK(session.progress().done == 12);
  CHECK(session.progress().refused == 2);
  CHECK_FALSE(session.left());
  CHECK(results.count() >= 2);
}

TEST_CASE("A sweep that was cancelled goes on from its journal") {
  const SweepFolder folder;
  SweepSession session;
  session.open(folder.file());
  session.cancel();  // nothing runs yet
  session.start(folder.out(), 1);
  session.cancel();
  session.wait();
  QCoreApplication::processEvents();
  const auto status = session.status();
  CHECK((status == SweepSession::Status::cancelled || status == SweepSession::Status::finished));
  run_to_end(session, folder);
  CHECK(session.status() == SweepSession::Status::finished);
  const auto first = session.results();

  SECTION("and a second session finds everything done") {
    SweepSession again;
    again.open(folder.file());
    run_to_end(again, folder);
    REQUIRE(again.results()->points.size() == first->points.size());
    for (std::size_t i = 0; i < first->points.size(); ++i)
      for (std::size_t k = 0; k < first->points[i].figures.size(); ++k)
        CHECK(again.results()->points[i].figures[k].mean == first->points[i].figures[k].mean);
  }
}

TEST_CASE("Another sweep in the folder is refused with the sentence of the command line") {
  const SweepFolder folder;
  SweepSession session;
  session.open(folder.file());
  run_to_end(session, folder);
  const SweepFolder other(std::string(vacancy::test::small_sweep)
                              .replace(vacancy::test::small_sweep.find("640"), 3, "320"));
  SweepSession second;
  second.open(other.file());
  second.start(folder.out(), 1);
  second.wait();
  QCoreApplication::processEvents();
  CHECK(second.status() == SweepSession::Status::failed);
  CHECK(second.error().find(folder.out().string()) != std::string::npos);
}

TEST_CASE("A faulty sweep is not opened, and the one before stays") {
  const SweepFolder folder, faulty("{\"scenario\": {}, \"axis\": 1}");
  SweepSession session;
  session.open(folder.file());
  CHECK_THROWS_AS(session.open(faulty.file()), UserError);
  CHECK(session.file() == folder.file());
  CHECK(session.status() == SweepSession::Status::ready);
}

TEST_CASE("A session that goes away while it runs waits for its thread") {
  const SweepFolder folder;
  auto session = std::make_unique<SweepSession>();
  session->open(folder.file());
  session->start(folder.out(), 2);
  session.reset();
  QCoreApplication::processEvents();
  SUCCEED();
}

TEST_CASE("The scenario of a point runs to the figures of that point") {
  const SweepFolder folder;
  SweepSession session;
  session.open(folder.file());
  run_to_end(session, folder);
  const Sweep& sweep = *session.sweep();
  for (const PointResult& point : session.results()->points) {
    CAPTURE(point.point);
    const auto text = [&] { return scenario_text(sweep, point.point); };
    const Scenario scenario = load_scenario_text(text(), "point", ".");
    CHECK(scenario.seed == 1);
    if (point.state == RunState::empty) continue;  // by the sweep's own rule: it could run
    const auto run = start_run(scenario);
    while (run->step()) {
    }
    const auto summary = nlohmann::ordered_json::parse(to_json(run->summary()));
    const Spread& efficiency = point.figures[0];
    // The mean of two seeds and its deviation give both values.
    const double half = efficiency.deviation.value_or(0) / std::sqrt(2.0);  // absent: they agree
    const double value = *figure_of(summary, "reclaim.reclaim_efficiency");
    CHECK(std::abs(std::abs(value - *efficiency.mean) - half) < 1e-12);
  }
}

TEST_CASE("Time left follows from what this start has done") {
  SweepProgress now;
  now.done = 30;
  now.total = 100;
  CHECK(seconds_left(now, 20, 5) == Approx(35));
  CHECK_FALSE(seconds_left(now, 30, 5));
}
