// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "gui/model/sweep/sweep_plot.hpp"
#include "gui/model/sweep/sweep_session.hpp"
#include "tests/gui/sweep/small_sweep.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::test::SweepFolder;

namespace {

struct Plotted {
  SweepFolder folder;
  SweepSession session;

  Plotted() {
    session.open(folder.file());
    session.start(folder.out(), 2);
    session.wait();
    QCoreApplication::processEvents();
  }
  SweepPlot plot(const PlotChoice& choice, const HiddenValues& hidden = {}) const {
    return make_plot(*session.sweep(), *session.results(), choice, hidden);
  }
};

using Marks = std::map<std::size_t, std::string>;

/// Bytes moved against efficiency, as the front has them.
PlotChoice front_choice() {
  PlotChoice choice;
  choice.x_figure = 1;
  choice.y_figure = 0;
  choice.shape_axis = 1;
  choice.colour_axis = 0;
  choice.log_x = true;
  return choice;
}

}  // namespace

TEST_CASE("A plot has a dot for each row that has both values, inside its frame") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  CHECK(plot.dots.size() == 5);
  CHECK(plot.left_out == 1);
  for (const PlotDot& dot : plot.dots) {
    CHECK((dot.x >= 0 && dot.x <= 1 && dot.y >= 0 && dot.y <= 1));
    CHECK((dot.low <= dot.y && dot.y <= dot.high));
  }
  CHECK(plot.shapes == Marks{{0, "none"}, {1, "slide"}});
  CHECK(plot.colours == Marks{{0, "4"}, {1, "8"}, {2, "16"}});
}

TEST_CASE("Zero has a place of its own on a logarithmic axis") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  REQUIRE(plot.zero_apart);
  CHECK(plot.x_ticks.front().text == "0");
  for (const PlotDot& dot : plot.dots) {
    const auto& point = sweep.session.results()->points[dot.row];
    CHECK((*point.figures[1].mean == 0) == (dot.x == plot.x_ticks.front().at));
  }
  auto choice = front_choice();
  choice.log_x = false;
  CHECK_FALSE(sweep.plot(choice).zero_apart);
}

TEST_CASE("The front runs in steps through its points and nothing lies beyond it") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  REQUIRE(plot.front.size() >= 3);
  for (std::size_t i = 1; i < plot.front.size(); ++i) {
    const auto& [x0, y0] = plot.front[i - 1];
    const auto& [x1, y1] = plot.front[i];
    CHECK((x0 == x1 || y0 == y1));
    CHECK((x0 <= x1 && y0 <= y1));
  }
  for (const PlotDot& dot : plot.dots)
    if (!dot.on_front)
      CHECK(std::any_of(plot.front.begin(), plot.front.end(), [&](const auto& corner) {
        return corner.first <= dot.x && corner.second >= dot.y;
      }));
  SECTION("only where the plot is about its two goals") {
    auto choice = front_choice();
    choice.x_axis = 0;
    CHECK(sweep.plot(choice).front.empty());
  }
}

TEST_CASE("A caption says what the drawing does not") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  CHECK(plot.shape_axis == "reclaim");
  CHECK(plot.colour_axis == "block");
  const std::string text = plot_caption(plot);
  CHECK_THAT(text,
             Catch::StartsWith("upper left is better · 5 points · steps: Pareto front · equal "
                               "points nest"));
  CHECK_THAT(text, Catch::Contains("bars: ± a standard deviation over seeds"));
  CHECK_THAT(text, Catch::Contains("1 point left out, without a value here"));
  auto choice = front_choice();
  choice.x_axis = 0;
  CHECK_THAT(plot_caption(sweep.plot(choice)), Catch::StartsWith("5 points"));
}

TEST_CASE("Points of hidden values are left out and counted, and the others keep their marks") {
  const Plotted sweep;
  HiddenValues hidden;
  hidden.set_hidden(0, "8", true);
  const SweepPlot plot = sweep.plot(front_choice(), hidden);
  CHECK(plot.dots.size() == 3);
  CHECK(plot.hidden == 2);
  CHECK(plot.left_out == 1);
  CHECK(plot.colours == Marks{{0, "4"}, {2, "16"}});
  for (const PlotDot& dot : plot.dots)
    CHECK(sweep.session.results()->points[dot.row].at[0].text == (dot.colour == 0 ? "4" : "16"));
  CHECK_THAT(plot_caption(plot), Catch::EndsWith("2 points filtered out"));
  SECTION("also where all are") {
    for (const char* value : {"4", "16"})
      hidden.set_hidden(0, value, true);
    const SweepPlot none = sweep.plot(front_choice(), hidden);
    CHECK(none.dots.empty());
    CHECK(none.hidden == 6);
  }
}

TEST_CASE("The front stays that of all points whatever is hidden") {
  const Plotted sweep;
  const auto& points = sweep.session.results()->points;
  // Hides a point of the front and leaves another one.
  const auto best = std::find_if(points.begin(), points.end(),
                                 [](const PointResult& point) { return point.on_front; });
  REQUIRE(best != points.end());
  HiddenValues hidden;
  hidden.set_hidden(0, best->at[0].text, true);
  const SweepPlot whole = sweep.plot(front_choice()), part = sweep.plot(front_choice(), hidden);
  REQUIRE(part.dots.size() < whole.dots.size());
  CHECK(part.front.size() == whole.front.size());
  for (const auto& [x, y] : part.front)
    CHECK((x >= 0 && x <= 1 && y >= 0 && y <= 1));
  CHECK_THAT(plot_caption(part), Catch::Contains("steps: Pareto front of all points"));
}

TEST_CASE("Axes have words, and the keys that sweep files have") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  CHECK(plot.y_label == "reclaim efficiency");
  CHECK(plot.y_key == "reclaim.reclaim_efficiency");
  CHECK_THAT(plot.x_label, Catch::StartsWith("bytes moved ("));
  CHECK(plot.x_key == "reclaim.bytes_moved");
  auto choice = front_choice();
  choice.x_axis = 0;
  CHECK(sweep.plot(choice).x_key.empty());
}

TEST_CASE("A click finds the nearest dot, and only near one") {
  const Plotted sweep;
  const SweepPlot plot = sweep.plot(front_choice());
  constexpr double width = 600, height = 400;
  for (std::size_t i = 0; i < plot.dots.size(); ++i) {
    const auto found =
        dot_at(plot, plot.dots[i].x * width, (1 - plot.dots[i].y) * height, width, height, 8);
    REQUIRE(found);
    CHECK(plot.dots[*found].x == plot.dots[i].x);
    CHECK(plot.dots[*found].y == plot.dots[i].y);
  }
  CHECK_FALSE(dot_at(plot, -100, -100, width, height, 8));
}

TEST_CASE("Words make an axis of categories") {
  const Plotted sweep;
  PlotChoice choice;
  choice.x_axis = 1;
  choice.y_figure = 0;
  const SweepPlot plot = sweep.plot(choice);
  REQUIRE(plot.x_ticks.size() == 2);
  CHECK(plot.x_ticks[1].text == "slide");
  CHECK(first_choice(*sweep.session.sweep(), *sweep.session.results()).x_axis == 0u);
}
