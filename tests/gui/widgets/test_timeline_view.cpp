// SPDX-License-Identifier: Apache-2.0
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "gui/widgets/map_view.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace {

using namespace vacancy::gui;

TimelineReader constant() {
  return [](TimeSpan, int n) {
    TimelineColumn c;
    c.slots = {50, 0, 0, 30, 0, 0, 20};
    c.simulated = true;
    return std::vector<TimelineColumn>(static_cast<std::size_t>(n), c);
  };
}

struct TimelineFixture {
  TimelineFixture() {
    view.resize(1040, 217);
    view.show();
    view.set_run(constant(), {0, 1'000'000'000}, AxisUnit::nanoseconds, 10, 16);
  }
  TimelineView view;
};

TEST_CASE("a click moves time to the pixel, dragging goes on, and it stays in the run") {
  TimelineFixture f;
  QSignalSpy moved(&f.view, &TimelineView::moved_to);
  const int y = 60;
  for (const int x : {60, 400, 800}) {
    QTest::mousePress(&f.view, Qt::LeftButton, {}, QPoint(x, y));
    REQUIRE(moved.count() == 1);
    const auto t = moved.takeFirst().at(0).toLongLong();
    CHECK(std::abs(f.view.axis().x_of(t) - x) <= 0.5);
    QTest::mouseRelease(&f.view, Qt::LeftButton, {}, QPoint(x, y));
  }
  QTest::mousePress(&f.view, Qt::LeftButton, {}, QPoint(100, y));
  QTest::mouseMove(&f.view, QPoint(0, y));
  CHECK(moved.takeLast().at(0).toLongLong() == 0);
}

TEST_CASE("a pointer at a mark is told what the mark means, beside it what slots hold") {
  TimelineFixture f;
  f.view.set_run(
      [](TimeSpan span, int n) {
        auto columns = constant()(span, n);
        columns[static_cast<std::size_t>(n) / 4].glyphs = bit_of(Glyph::evict);
        columns[static_cast<std::size_t>(n) / 2].glyphs =
            static_cast<std::uint8_t>(bit_of(Glyph::reclaim) | bit_of(Glyph::preempt));
        return columns;
      },
      {0, 1'000'000'000}, AxisUnit::nanoseconds, 10, 16);
  const TimeAxis axis = f.view.axis();
  const int y = f.view.tick_key().center().y();
  const auto at = [&](int x) { return f.view.help_at(QPoint(x, y)).toStdString(); };
  const int quarter = axis.left() + axis.width() / 4, middle = axis.left() + axis.width() / 2;
  for (const int beside : {-1, 0, 1})
    CHECK(at(quarter + beside) == "<b>evict</b>: a round that brought no block back");
  CHECK(at(middle) ==
        "<b>reclaim</b>: a round that brought blocks back<br>"
        "<b>preempt</b>: a sequence loses its blocks, or memory runs out");
  CHECK(at(middle + 20).find("holes 30.0") != std::string::npos);
  CHECK(f.view.help_at(QPoint(middle, 60)).contains(QStringLiteral("holes")));
  const std::string key = f.view.help_at(f.view.tick_key().center()).toStdString();
  for (const TickKind& kind : tick_kinds)
    CHECK(key.find(kind.meaning) != std::string::npos);
  CHECK(f.view.rect().contains(f.view.tick_key()));
}

TEST_CASE("a brushed range becomes the span in view, and back") {
  TimelineFixture f;
  QTest::mousePress(&f.view, Qt::LeftButton, Qt::ShiftModifier, QPoint(200, 60));
  QTest::mouseMove(&f.view, QPoint(400, 60));
  QTest::mouseRelease(&f.view, Qt::LeftButton, Qt::ShiftModifier, QPoint(400, 60));
  REQUIRE(f.view.brushed());
  const TimeSpan brushed = *f.view.brushed();
  CHECK(std::abs(f.view.axis().x_of(brushed.from) - 200) <= 1);
  CHECK(std::abs(f.view.axis().x_of(brushed.to) - 400) <= 1);
  f.view.show_brushed();
  CHECK(f.view.shown() == brushed);
  CHECK(!f.view.brushed());
  f.view.show_all();
  CHECK(f.view.shown() == f.view.run());
}

TEST_CASE("while the run grows the whole of it stays in view, a chosen span stays where it is") {
  TimelineFixture f;
  f.view.set_run(constant(), {0, 2'000'000'000}, AxisUnit::nanoseconds, 20, 16);
  CHECK(f.view.shown() == TimeSpan{0, 2'000'000'000});
  f.view.show_span({500, 1500});
  f.view.set_run(constant(), {0, 3'000'000'000}, AxisUnit::nanoseconds, 30, 16);
  CHECK(f.view.shown() == TimeSpan{500, 1500});
  // An axis of events is another one.
  f.view.set_run(constant(), {0, 41}, AxisUnit::events, 40, 16);
  CHECK(f.view.shown() == TimeSpan{0, 41});
  CHECK(f.view.accessibleDescription().contains(QStringLiteral("one instant")));
}

TEST_CASE("map and timeline share the ends of their x-axis") {
  TimelineFixture f;
  CHECK(f.view.axis().left() == map_gutter);
  CHECK(f.view.width() - f.view.axis().right() == legend_gap + legend_width);
}

}  // namespace
