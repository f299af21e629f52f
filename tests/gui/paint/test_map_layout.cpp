// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "gui/paint/map_layout.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/paint/slot_grid.hpp"

namespace {

using namespace vacancy::gui;

TEST_CASE("block -> pixel -> block is exact, at every zoom, scale and place") {
  for (const double scale : {1.0, 1.5, 2.0})
    for (const int pitch : zoom_pitches)
      for (const std::uint32_t row_length : {1U, 32U, 64U, 256U}) {
        MapLayout layout({1000, 300}, row_length, {pitch, 1}, {400, 300}, scale);
        layout.set_origin({123, 456});
        for (std::uint32_t b = 0; b < layout.blocks(); b += 7) {
          const QRect cell = layout.cell(b);
          REQUIRE(layout.block_at(cell.topLeft()) == b);
          REQUIRE(layout.block_at(cell.center()) == b);
          REQUIRE(layout.block_at(cell.bottomRight()) == b);
        }
      }
}

TEST_CASE("where no block is there is none") {
  const MapLayout layout({100, 10}, 64, {9, 1}, {600, 600}, 1);
  CHECK(layout.rows() == 4);  // two, a blank one, the lane
  CHECK(layout.block_at({-1, 0}) == std::nullopt);
  CHECK(layout.block_at({64 * 9, 0}) == std::nullopt);
  CHECK(layout.block_at({36 * 9, 9}) == std::nullopt);  // behind block 99
  CHECK(layout.block_at({0, 2 * 9}) == std::nullopt);
  CHECK(layout.block_at({9 * 9, 3 * 9}) == 109U);
  CHECK(layout.block_at({10 * 9, 3 * 9}) == std::nullopt);
  CHECK(layout.block_at({0, 4 * 9}) == std::nullopt);
}

TEST_CASE("several blocks to a pixel: each cell begins with its first block") {
  const MapLayout layout({1 << 16}, 1024, {1, 8}, {400, 300}, 1);
  CHECK(layout.cells_per_row() == 128);
  for (std::uint32_t b = 0; b < layout.blocks(); b += 37)
    REQUIRE(layout.block_at(layout.cell(b).topLeft()) == b / 8 * 8);
}

TEST_CASE("the view never leaves the content") {
  MapLayout layout({1 << 20}, 1024, {1, 1}, {400, 300}, 1);
  layout.set_origin({-5, 100000});
  CHECK(layout.origin() == QPoint(0, 1024 - 300));
  layout.set_origin({100000, 3});
  CHECK(layout.origin() == QPoint(1024 - 400, 3));
  MapLayout small({64}, 64, {2, 1}, {400, 300}, 1);
  small.set_origin({50, 50});
  CHECK(small.origin() == QPoint(0, 0));
}

TEST_CASE("zoom goes through the steps and back") {
  MapZoom zoom{1, 64};
  std::vector<MapZoom> way;
  for (int i = 0; i < 30 && zoom.pitch < 136; ++i) {
    way.push_back(zoom);
    zoom = zoomed_in(zoom);
  }
  CHECK(way.size() == 6 + zoom_pitches.size() - 1);
  CHECK(zoomed_in(zoom) == zoom);
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    zoom = zoomed_out(zoom, 64);
    CHECK(zoom == *step);
  }
  CHECK(zoomed_out(zoom, 64) == zoom);
  CHECK(zoomed_in({20, 1}) == MapZoom{28, 1});  // from a fitted size to the next step
  CHECK(zoomed_out({20, 1}, 64) == MapZoom{18, 1});
}

TEST_CASE("what fits is the largest that does") {
  for (const double scale : {1.0, 1.5, 2.0})
    for (const std::uint32_t blocks :
         {1U, 12U, 64U, 462U, 1000U, 2588U, 40000U, 1000000U, 4000000U}) {
      const QSize view(832, 533);
      const std::uint32_t row_length = automatic_row_length({blocks}, view, scale);
      CHECK((row_length % 8 == 0));
      const MapZoom zoom = fitting_zoom({blocks}, row_length, view, scale);
      const MapLayout layout({blocks}, row_length, zoom, view, scale);
      CHECK(layout.content().width() <= view.width());
      if (zoom.blocks_per_cell > 1 || blocks > 400000) continue;
      CHECK(layout.content().height() <= view.height());
      if (zoom.pitch == zoom_pitches.back()) continue;
      // No other row of eight times something has room for cells a pixel larger.
      for (std::uint32_t other = 8; other <= 1024; other += 8) {
        const QSize larger = MapLayout({blocks}, other, {zoom.pitch + 1, 1}, view, scale).content();
        REQUIRE((larger.width() > view.width() || larger.height() > view.height()));
      }
    }
  CHECK(automatic_row_length({2588}, {832, 533}, 1) == 64);
  CHECK(fitting_zoom({2588}, 64, {832, 533}, 1) == MapZoom{13, 1});
}

TEST_CASE("a small pool fills a large window") {
  for (const QSize view : {QSize(832, 533), QSize(1600, 900), QSize(500, 700)})
    for (const std::uint32_t blocks : {100U, 136U, 462U, 1000U, 1500U}) {
      const std::uint32_t row_length = automatic_row_length({blocks}, view, 1);
      const MapZoom zoom = fitting_zoom({blocks}, row_length, view, 1);
      const double covered =
          static_cast<double>(blocks) * zoom.pitch * zoom.pitch / (view.width() * view.height());
      INFO(blocks << " blocks in " << view.width() << " x " << view.height());
      CHECK((covered >= 0.55 || zoom.pitch == zoom_pitches.back()));
    }
}

TEST_CASE("rows that are no power of two zoom out as far as pixels divide them") {
  MapZoom zoom{1, 1};
  for (int i = 0; i < 10; ++i)
    zoom = zoomed_out(zoom, 40);
  CHECK(zoom == MapZoom{1, 8});
  CHECK(fitting_zoom({1 << 20}, 40, {10, 10}, 1) == MapZoom{1, 4});
}

TEST_CASE("the keyboard goes from cell to cell and stops at the edges") {
  const MapLayout layout({100, 10}, 64, {9, 1}, {600, 600}, 1);
  CHECK(layout.neighbour(0, 1, 0) == 1);
  CHECK(layout.neighbour(0, -1, 0) == 0);
  CHECK(layout.neighbour(63, 1, 0) == 63);
  CHECK(layout.neighbour(10, 0, 1) == 74);
  CHECK(layout.neighbour(50, 0, 1) == 99);   // the row ends before
  CHECK(layout.neighbour(70, 0, 1) == 106);  // over the blank row
  CHECK(layout.neighbour(106, 0, -1) == 70);
  CHECK(layout.neighbour(106, 0, 1) == 106);
  CHECK(layout.neighbour(5, 0, -1) == 5);
}

TEST_CASE("slots lie side by side inside their cell") {
  for (const double scale : {1.0, 1.5, 2.0})
    for (const int pitch : {28, 42, 64, 96, 136})
      for (const std::uint32_t block_size : {1U, 8U, 16U, 20U, 64U, 256U}) {
        MapLayout layout({10}, 64, {pitch, 1}, {2000, 400}, scale);
        const SlotGrid grid(layout, layout.cell(3), block_size);
        for (std::uint32_t i = 0; i < block_size; ++i) {
          const QRect slot = grid.slot(i);
          REQUIRE(slot.width() >= 1);
          REQUIRE(slot.height() >= 1);
          REQUIRE(grid.frame().contains(slot));
          REQUIRE(grid.slot_at(slot.center()) == i);
          if (i > 0) REQUIRE(!slot.intersects(grid.slot(i - 1)));
        }
        if (pitch == 136 && block_size == 16) {
          CHECK(grid.slot(5).width() >= static_cast<int>(30 * scale));
          CHECK(grid.slot(5).height() >= static_cast<int>(25 * scale));
        }
      }
}

TEST_CASE("heights of a cell: all of it, and what is there is seen") {
  for (int height = 1; height <= 40; ++height)
    for (std::uint32_t live = 0; live <= 16; ++live)
      for (std::uint32_t holes = 0; live + holes <= 16; ++holes) {
        const std::uint32_t tail = 16 - live - holes;
        const CellHeights h = cell_heights(height, live, holes, tail);
        REQUIRE(h.live + h.hole + h.tail == height);
        REQUIRE(((h.live > 0) <= (live > 0) && (h.hole > 0) <= (holes > 0) &&
                 (h.tail > 0) <= (tail > 0)));
        if (height >= 3) {
          REQUIRE((h.live > 0) == (live > 0));
          REQUIRE((h.hole > 0) == (holes > 0));
          REQUIRE((h.tail > 0) == (tail > 0));
        }
        if (height == 16 && live + holes + tail == 16) REQUIRE(h.live == static_cast<int>(live));
      }
}

TEST_CASE("zoomed and rescaled layouts have the same rows and blocks") {
  MapLayout layout({2000, 500}, 64, {13, 1}, {400, 300}, 1);
  const MapLayout zoomed = layout.zoomed({42, 1});
  CHECK((zoomed == MapLayout({2000, 500}, 64, {42, 1}, {400, 300}, 1)));
  layout.set_origin({5 * 13, 7 * 13});
  MapLayout twice({2000, 500}, 64, {13, 1}, {800, 600}, 2);
  twice.set_origin({5 * 26, 7 * 26});
  CHECK((layout.rescaled(2) == twice));
  CHECK((layout.rescaled(2).rescaled(1) == layout));
  // Where a cell is no whole number of pixels, the first block in view stays the first.
  CHECK(layout.rescaled(1.5).block_at({0, 0}) == layout.block_at({0, 0}));
}

TEST_CASE("a block that is not in view is brought into its middle") {
  MapLayout layout({2000}, 64, {42, 1}, {400, 300}, 1);
  CHECK_FALSE(layout.reveal(3));
  CHECK(layout.origin() == QPoint(0, 0));
  CHECK(layout.reveal(15 * 64 + 30));
  CHECK(QRect(QPoint(0, 0), layout.view()).contains(layout.cell(15 * 64 + 30)));
  CHECK((layout.cell(15 * 64 + 30).center() - QPoint(200, 150)).manhattanLength() < 4);
  CHECK_FALSE(layout.reveal(15 * 64 + 30));
  CHECK_FALSE(layout.reveal(2000));  // there is none
}

TEST_CASE("the caption says what is aggregated and what is cropped") {
  const auto caption = [](const MapLayout& layout, std::uint32_t blocks = UINT32_MAX) {
    std::string all;
    blocks = std::min(blocks, layout.blocks());
    for (const std::string& part : map_caption(layout, blocks, 16, std::nullopt))
      all += (all.empty() ? "" : " · ") + part;
    return all;
  };
  CHECK(caption(MapLayout({2588}, 64, {13, 1}, {832, 533}, 1)) ==
        "1 cell = 1 block of 16 slots · height = share of slots · a row = 64 blocks");
  CHECK(caption(MapLayout({1 << 20}, 4096, {1, 64}, {832, 533}, 1)) ==
        "1 px = 64 blocks, most notable shown · a row = 4,096 blocks");
  const MapLayout cropped({2588}, 64, {136, 1}, {136 * 6, 136 * 4}, 1);
  CHECK(caption(cropped) ==
        "1 cell = 1 slot, number = token position · a row = 64 blocks · "
        "24 of 2,588 blocks in view");

  // Of a growing pool the blocks that it has.
  const std::string slots = "1 cell = 1 slot, number = token position · a row = 64 blocks";
  CHECK(caption(cropped, 800) == slots + " · 24 of 800 blocks in view");
  CHECK(caption(cropped, 64 * 2 + 3) == slots + " · 15 of 131 blocks in view");
  CHECK(caption(cropped, 5) == slots);
  CHECK(caption(cropped, 0) == slots);
  // Rows with more blocks than are in view at the right.
  CHECK(caption(cropped, 64) == slots + " · 6 of 64 blocks in view");
}

}  // namespace
