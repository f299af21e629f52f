// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "gui/paint/map_painter.hpp"
#include "gui/paint/slot_grid.hpp"
#include "tests/gui/paint/made_pool.hpp"
#include "tests/gui/paint/themes.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::gui::test;

/// The class that the lowest pixels of a block's cell show, and the highest.
BlockClass foot_of(const PoolView& p, std::uint32_t b) {
  if ((p.flags[b] & BlockFlag::held) == 0)
    return (p.flags[b] & BlockFlag::cached) != 0 ? BlockClass::cached_free : BlockClass::free;
  if (p.live[b] > 0) return live_class_of(p.flags[b], p.references[b]);
  return p.fill[b] > 0 ? BlockClass::hole : BlockClass::tail;
}
BlockClass head_of(const PoolView& p, std::uint32_t b) {
  if ((p.flags[b] & BlockFlag::held) == 0) return foot_of(p, b);
  if (p.fill[b] < p.block_size) return BlockClass::tail;
  return p.fill[b] > p.live[b] ? BlockClass::hole : foot_of(p, b);
}
bool shows(QRgb pixel, const Palette& p, BlockClass c) {
  return pixel == p.of(c) || pixel == p.hatch(c);
}

TEST_CASE("the pixels of block k have its class's colour, in both themes") {
  MadePool pool(2588);
  pool.scatter(1);
  for (const Theme theme : themes)
    for (const double scale : {1.0, 1.5, 2.0})
      for (const int pitch : {4, 6, 9, 13, 18}) {
        const MapScene scene = pool.scene(theme);
        MapLayout layout({2588}, 64, {pitch, 1}, {500, 400}, scale);
        layout.set_origin({17, 31});
        const QImage image = map_image(scene, layout);
        for (std::uint32_t b = 0; b < 2588; ++b) {
          const QRect cell = layout.cell(b).adjusted(0, 0, -layout.gap(), -layout.gap());
          if (!image.rect().contains(cell)) continue;
          INFO("block " << b << " at pitch " << pitch << ", scale " << scale);
          // The right edge bears no mark.
          const QRgb foot = image.pixel(cell.right(), cell.bottom());
          const QRgb head = image.pixel(cell.right(), cell.top());
          REQUIRE(shows(foot, *scene.palette, foot_of(scene.pool, b)));
          REQUIRE(shows(head, *scene.palette, head_of(scene.pool, b)));
        }
      }
}

TEST_CASE("holes, tails and cached blocks are hatched from 12 pixels a cell on, in both themes") {
  MadePool pool(3);
  pool.hold(0, 0, 16);
  pool.hold(1, 0, 0);
  pool.flag(2, BlockFlag::cached);
  const BlockClass classes[] = {BlockClass::hole, BlockClass::tail, BlockClass::cached_free};
  for (const Theme theme : themes)
    for (const int pitch : {6, 9, 11, 12, 18, 27}) {
      const MapScene scene = pool.scene(theme);
      const MapLayout layout({3}, 4, {pitch, 1}, {pitch * 4, pitch}, 1);
      const QImage image = map_image(scene, layout);
      for (std::uint32_t b = 0; b < 3; ++b) {
        CAPTURE(pitch, b);
        const QRect cell = layout.cell(b).adjusted(0, 0, -layout.gap(), -layout.gap());
        bool hatched = false;
        for (int x = cell.left(); x <= cell.right(); ++x)
          for (int y = cell.top(); y <= cell.bottom(); ++y)
            hatched |= image.pixel(x, y) == scene.palette->hatch(classes[b]);
        CHECK(hatched == (pitch >= 12));
      }
    }
}

TEST_CASE("L0 keeps the most notable of the blocks on a pixel") {
  MadePool pool(1024);
  const auto image = [&](Theme theme) {
    return map_image(pool.scene(theme), MapLayout({1024}, 1024, {1, 64}, {16, 1}, 1));
  };
  for (const Theme theme : themes) {
    const Palette& p = palette_of(theme);
    const auto first = [&] { return image(theme).pixel(0, 0); };
    for (std::uint32_t b = 0; b < 64; ++b)
      pool.flag(b, 0);
    CHECK(first() == p.of(BlockClass::free));
    pool.flag(63, BlockFlag::cached);
    CHECK(first() == p.of(BlockClass::cached_free));
    pool.hold(5, 9, 7);
    CHECK(first() == p.of(BlockClass::live));  // 7 of 16 are less than half
    pool.hold(40, 16, 0, 2);
    CHECK(first() == p.of(BlockClass::shared));
    pool.hold(17, 8, 8);
    CHECK(first() == p.of(BlockClass::hole));
    pool.hold(2, 16, 0, 1, BlockFlag::pinned);
    CHECK(first() == p.of(BlockClass::pinned));
    CHECK(image(theme).pixel(1, 0) == p.of(BlockClass::free));
  }
}

TEST_CASE("L0 is the rule, block by block") {
  MadePool pool(5000);
  pool.scatter(3);
  const MapScene scene = pool.scene(Theme::light);
  const PoolView& v = scene.pool;
  const std::map<Notable, BlockClass> shown = {
      {Notable::free, BlockClass::free},       {Notable::cached_free, BlockClass::cached_free},
      {Notable::live, BlockClass::live},       {Notable::shared, BlockClass::shared},
      {Notable::half_holes, BlockClass::hole}, {Notable::pinned, BlockClass::pinned}};
  for (const std::uint32_t per_cell : {1U, 4U, 32U}) {
    const MapLayout layout({5000}, 128, {1, per_cell}, {256, 100}, 2);
    const QImage image = map_image(scene, layout);
    for (std::uint32_t b = 0; b < 5000; b += per_cell) {
      Notable most = Notable::free;
      for (std::uint32_t i = b; i < std::min(5000U, b / 128 * 128 + 128) && i < b + per_cell; ++i)
        most = std::max(most, notable_of(v.flags[i], v.live[i], v.fill[i], v.references[i], 16));
      REQUIRE(image.pixel(layout.cell(b).bottomRight()) == scene.palette->of(shown.at(most)));
    }
  }
}

TEST_CASE("blocks that are not there yet have empty places") {
  MadePool pool(24);
  for (std::uint32_t b = 0; b < 13; ++b)
    pool.hold(b, 16, 0);
  for (const Theme theme : themes)
    for (const int pitch : {1, 4, 9, 18, 64, 136}) {
      CAPTURE(pitch);
      MapScene scene = pool.scene(theme);
      scene.blocks = 15;
      const MapLayout layout({24}, 8, {pitch, 1}, {pitch * 8, pitch * 3}, 1);
      const QImage image = map_image(scene, layout);
      for (std::uint32_t b = 0; b < 24; ++b) {
        CAPTURE(b);
        const QRect cell = layout.cell(b);
        const bool empty = image.pixel(cell.center()) == scene.palette->panel;
        CHECK(empty == (b >= 15));
      }
    }
}

TEST_CASE("slots stand in their order") {
  MadePool pool(64);
  pool.hold(7, 5, 6);
  for (const Theme theme : themes)
    for (const int pitch : {28, 64, 136}) {
      const MapScene scene = pool.scene(theme);
      const MapLayout layout({64}, 8, {pitch, 1}, {pitch * 8, pitch * 8}, 1);
      const QImage image = map_image(scene, layout);
      const SlotGrid grid(layout, layout.cell(7), 16);
      for (std::uint32_t i = 0; i < 16; ++i) {
        const BlockClass c = i < 5    ? BlockClass::live
                             : i < 11 ? BlockClass::hole
                                      : BlockClass::tail;
        CHECK(shows(image.pixel(grid.slot(i).topLeft()), *scene.palette, c));
      }
    }
}

TEST_CASE("a repaint of what changed is a repaint of all") {
  MadePool pool(2000);
  pool.scatter(5);
  for (const int pitch : {4, 9, 13, 42, 136}) {
    MapLayout layout({2000}, 64, {pitch, 1}, {700, 300}, 1);
    MapPainter painter;
    painter.paint(pool.scene(Theme::light), layout);
    CHECK(painter.painted() > 0);
    painter.paint(pool.scene(Theme::light), layout);
    CHECK(painter.painted() == 0);
    pool.hold(1, 3, 2);
    pool.hold(66, 1, 1);
    const QImage& changed = painter.paint(pool.scene(Theme::light), layout);
    CHECK(painter.painted() == 2);
    CHECK(changed == map_image(pool.scene(Theme::light), layout));
    pool.flag(1, 0);
    pool.flag(66, 0);
    painter.paint(pool.scene(Theme::light), layout);
    // Another theme, another place: all of it.
    CHECK(painter.paint(pool.scene(Theme::dark), layout) ==
          map_image(pool.scene(Theme::dark), layout));
    layout.set_origin({50, 50});
    CHECK(painter.paint(pool.scene(Theme::dark), layout) ==
          map_image(pool.scene(Theme::dark), layout));
  }
}

TEST_CASE("other colourings colour the live part and leave holes neutral") {
  MadePool pool(256);
  for (std::uint32_t b = 0; b < 256; ++b)
    pool.hold(b, 8, 8, 1 + b % 20);
  MapScene scene = pool.scene(Theme::light);
  const Palette& p = *scene.palette;
  const MapLayout layout({256}, 64, {9, 1}, {576, 36}, 1);
  std::vector<std::uint32_t> tenants(256), bits(256, 4);
  std::vector<float> scores(256, 0.5F);
  for (std::uint32_t b = 0; b < 256; ++b)
    tenants[b] = b / 64;
  scene.tenants = tenants;
  scene.bits = bits;
  scene.scores = scores;
  for (std::uint32_t b = 0; b < 256; b += 5) {
    const QRect cell = layout.cell(b).adjusted(0, 0, -1, -1);
    const auto foot = [&](Colouring colouring) {
      scene.colouring = colouring;
      const QImage image = map_image(scene, layout);
      const QRgb head = image.pixel(cell.right(), cell.top());
      CHECK(head == p.of(BlockClass::free));  // no hatch below 12 px
      return image.pixel(cell.right(), cell.bottom());
    };
    CHECK(foot(Colouring::sequence) == p.sequence(b % 7));
    CHECK(foot(Colouring::tenant) == p.sequence(b / 64));
    CHECK(foot(Colouring::references) == reference_colour(1 + b % 20));
    CHECK(foot(Colouring::precision) == precision_colour(4));
    CHECK(foot(Colouring::score) == ramp_colour(score_ramp, 0.5));
  }
}

TEST_CASE("an isolated class keeps its colour and the others fade") {
  MadePool pool(128);
  for (std::uint32_t b = 0; b < 64; ++b)
    pool.hold(b, 16, 0);
  MapScene scene = pool.scene(Theme::light);
  const Palette& p = *scene.palette;
  scene.isolated = BlockClass::free;
  const MapLayout layout({128}, 64, {6, 1}, {384, 12}, 1);
  const QImage image = map_image(scene, layout);
  CHECK(image.pixel(0, 0) == mix(p.panel, p.of(BlockClass::live), 0.25));
  CHECK(image.pixel(0, 6) == p.of(BlockClass::free));
}

}  // namespace
