// SPDX-License-Identifier: Apache-2.0
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <set>

#include "gui/paint/timeline_layout.hpp"
#include "gui/paint/timeline_painter.hpp"
#include "tests/gui/paint/themes.hpp"

namespace {

using namespace vacancy::gui;
using vacancy::gui::test::themes;

TEST_CASE("x -> t -> x stays within a pixel, t -> x -> t within what a pixel is") {
  for (const std::int64_t length : {100LL, 12345LL, 47'500'000'000LL, 3'600'000'000'000'000LL})
    for (const int width : {1, 7, 832, 3840}) {
      const TimeAxis axis({1000, 1000 + length}, 48, width);
      for (int x = 48; x <= 48 + width; ++x)
        REQUIRE(std::abs(axis.x_of(axis.time_at(x)) - x) <=
                std::max(0.5, 0.5 * width / static_cast<double>(length)) + 1e-6);
      for (int i = 0; i <= 50; ++i) {
        const std::int64_t t = 1000 + length / 50 * i;
        REQUIRE(std::abs(axis.time_at(axis.x_of(t)) - t) <= length / width + 1);
      }
    }
}

TEST_CASE("ticks are round, in the span and far enough apart") {
  for (const TimeSpan span : {TimeSpan{0, 47'500'000'000}, TimeSpan{123, 456}, TimeSpan{7, 8},
                              TimeSpan{1'000'000, 2'500'000}}) {
    const TimeAxis axis(span, 48, 832);
    const std::int64_t step = axis.tick_step(76);
    std::int64_t digits = step;
    while (digits % 10 == 0)
      digits /= 10;
    CHECK((digits == 1 || digits == 2 || digits == 5));
    for (const std::int64_t t : axis.ticks(76)) {
      CHECK(t % step == 0);
      CHECK((t >= span.from && t <= span.to));
    }
    CHECK(axis.x_of(span.from + step) - axis.x_of(span.from) >= 75.999);
  }
  CHECK(time_label(15'000'000'000, 5'000'000'000) == "15\u00A0s");
  CHECK(time_label(50'000'000, 10'000'000) == "0.05\u00A0s");
}

TEST_CASE("zoom keeps what is under the pointer, and the run is all there is") {
  const TimeSpan run{0, 1'000'000};
  const TimeSpan half = zoomed(run, 0.5, 400'000, run);
  CHECK(half.length() == 500'000);
  CHECK(std::abs((400'000 - half.from) * 2 - 400'000) <= 2);
  CHECK(zoomed(half, 100, 400'000, run) == run);
  CHECK(zoomed(run, 1e-9, 5, run).length() == 100);
  CHECK(moved({0, 10}, -5, run) == TimeSpan{0, 10});
  CHECK(moved({0, 10}, 2'000'000, run) == TimeSpan{999'990, 1'000'000});
}

TEST_CASE("strips lie below each other between the margins of the map") {
  for (const QSize size : {QSize(1040, 217), QSize(760, 160), QSize(500, 400)}) {
    const TimelineStrips s = timeline_strips(size, 48, 148);
    for (const QRect& r : {s.axis, s.bands, s.promise, s.events, s.minimap}) {
      CHECK(r.left() == 48);
      CHECK(r.right() == size.width() - 148 - 1);
    }
    CHECK(s.axis.bottom() < s.bands.top());
    CHECK(s.bands.bottom() < s.promise.top());
    CHECK(s.promise.bottom() < s.events.top());
    CHECK(s.events.bottom() < s.minimap.top());
    if (size.height() >= 160) CHECK(s.minimap.bottom() < size.height());
  }
}

TimelineColumn column(std::uint64_t live, std::uint64_t hole, std::uint64_t free) {
  TimelineColumn c;
  c.slots[index_of(BlockClass::live)] = live;
  c.slots[index_of(BlockClass::hole)] = hole;
  c.slots[index_of(BlockClass::free)] = free;
  c.simulated = true;
  return c;
}

TEST_CASE("bands are as high as their share, live from below") {
  const Palette& p = palette_of(Theme::light);
  for (const double scale : {1.0, 2.0}) {
    QImage image(QSize(100, 80) * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    std::vector<TimelineColumn> columns;
    for (std::uint64_t i = 0; i < 50; ++i)
      columns.push_back(column(40, 20, 20));
    for (int i = 0; i < 50; ++i)
      columns.emplace_back();  // not simulated
    paint_bands(painter, QRect(0, 0, 100, 80), columns, p, scale);
    painter.end();
    const auto at = [&](double x, double y) {
      return image.pixel(static_cast<int>(x * scale), static_cast<int>(y * scale));
    };
    for (const double x : {0.0, 20.0, 49.0}) {
      CHECK(at(x, 79) == p.of(BlockClass::live));
      CHECK(at(x, 40) == p.of(BlockClass::live));
      const QRgb hole = at(x, 39);
      CHECK((hole == p.of(BlockClass::hole) || hole == p.hatch(BlockClass::hole)));
      CHECK(at(x, 20) != p.of(BlockClass::free));
      CHECK(at(x, 19) == p.of(BlockClass::free));
    }
    CHECK(at(90, 70) != p.of(BlockClass::live));
  }
}

TEST_CASE("whatever is marked below the bands is in the key, in its colour") {
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    const auto inks = [&p](QSize size, const std::function<void(QPainter&)>& paint) {
      QImage image(size, QImage::Format_RGB32);
      image.fill(p.panel);
      QPainter painter(&image);
      paint(painter);
      painter.end();
      std::set<QRgb> found;
      for (int y = 0; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x)
          if (image.pixel(x, y) != p.panel) found.insert(image.pixel(x, y));
      return found;
    };
    const std::set<QRgb> key =
        inks(tick_key_size, [&](QPainter& q) { paint_tick_key(q, QPoint(0, 0), p); });
    for (int g = 0; g <= static_cast<int>(Glyph::other); ++g) {
      const auto glyph = static_cast<Glyph>(g);
      CAPTURE(g);
      TimelineColumn marked;
      marked.glyphs = bit_of(glyph);
      const std::set<QRgb> mark = inks({15, 14}, [&](QPainter& q) {
        paint_event_ticks(q, QRect(0, 0, 15, 14), {{}, marked, {}}, p);
      });
      const bool told = std::any_of(tick_kinds.begin(), tick_kinds.end(),
                                    [&](const TickKind& kind) { return kind.glyph == glyph; });
      CHECK(mark.empty() != told);
      // A line is of one colour; edges of a triangle are softened.
      if (glyph == Glyph::preempt)
        CHECK(key.contains(glyph_colour(glyph, p)));
      else
        CHECK(std::includes(key.begin(), key.end(), mark.begin(), mark.end()));
    }
  }
}

TEST_CASE("a difference has its side") {
  const Palette& p = palette_of(Theme::light);
  QImage image(100, 41, QImage::Format_RGB32);
  image.fill(p.panel);
  QPainter painter(&image);
  std::vector<double> values(100, 10.0);
  std::fill(values.begin() + 50, values.end(), -10.0);
  paint_difference(painter, QRect(0, 0, 100, 41), values, 20, p);
  painter.end();
  CHECK(image.pixel(25, 12) == mix(p.panel, p.run_b, 0.4));
  CHECK(image.pixel(75, 30) == mix(p.panel, p.run_a, 0.4));
  CHECK(image.pixel(25, 30) == p.panel);
}

}  // namespace
