// SPDX-License-Identifier: Apache-2.0
#include <QImage>
#include <QPainter>
#include <catch2/catch.hpp>

#include "gui/paint/difference_strip.hpp"
#include "tests/gui/paint/made_pool.hpp"
#include "tests/gui/paint/themes.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::gui::test;

TEST_CASE("the strip shows, block for block, who holds what") {
  MadePool a(100), b(100);
  for (std::uint32_t i = 0; i < 40; ++i)
    a.hold(i, 16, 0);
  for (std::uint32_t i = 20; i < 60; ++i)
    b.hold(i, i < 30 ? 16 : 8, i < 30 ? 0 : 8);
  const PoolDifference d = difference(a.view(), b.view());
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    QImage image(100, 4, QImage::Format_RGB32);
    QPainter painter(&image);
    paint_difference_strip(painter, QRect(0, 0, 100, 4), d, p, 1);
    painter.end();
    for (int x = 0; x < 100; ++x) {
      INFO("block " << x);
      const QRgb pixel = image.pixel(x, 2);
      if (x < 20)
        CHECK(pixel == p.run_a);
      else if (x < 30 || x >= 60)
        CHECK(pixel == p.of(BlockClass::free));
      else if (x < 40)
        CHECK((pixel == p.panel || pixel == p.ink_3));
      else
        CHECK(pixel == p.run_b);
    }
  }
}

TEST_CASE("of several blocks on a pixel the most frequent kind is shown") {
  MadePool a(100), b(100);
  for (std::uint32_t i = 0; i < 100; i += 10)
    for (std::uint32_t j = 0; j < 6; ++j)
      a.hold(i + j, 16, 0);
  const PoolDifference d = difference(a.view(), b.view());
  QImage image(10, 1, QImage::Format_RGB32);
  QPainter painter(&image);
  paint_difference_strip(painter, QRect(0, 0, 10, 1), d, palette_of(Theme::light), 1);
  painter.end();
  for (int x = 0; x < 10; ++x)
    CHECK(image.pixel(x, 0) == palette_of(Theme::light).run_a);
}

}  // namespace
