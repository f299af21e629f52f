// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <catch2/catch.hpp>

#include "gui/widgets/map_view.hpp"
#include "tests/gui/paint/made_pool.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::gui::test;

struct MapFixture {
  MapFixture() {
    pool.scatter(1);
    view.resize(map_gutter + 832, 533 + 2 * map_margin);
    view.show();
    view.set_pools({2588});
    view.set_scene(pool.scene(Theme::light));
  }
  QPoint centre_of(std::uint32_t block) const {
    return view.cells_area().topLeft() + view.layout().cell(block).center();
  }
  void wheel(QPoint at, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(at, view.mapToGlobal(at), QPoint(), QPoint(0, notches * 120), Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
  }
  MadePool pool{2588};
  MapView view;
};

TEST_CASE("the wheel zooms at the pointer and back") {
  MapFixture f;
  CHECK(f.view.layout().zoom() == MapZoom{13, 1});
  const QPoint at = f.centre_of(1234);
  for (int i = 0; i < 6; ++i) {
    f.wheel(at, 1);
    CHECK(f.view.layout().block_at(at - f.view.cells_area().topLeft()) == 1234U);
  }
  CHECK(f.view.layout().zoom() == MapZoom{136, 1});
  for (int i = 0; i < 20; ++i)
    f.wheel(at, -1);
  CHECK(f.view.layout().zoom().blocks_per_cell == 64);
  f.view.fit();
  CHECK(f.view.layout().zoom() == MapZoom{13, 1});
  f.wheel(at, 1, Qt::ControlModifier);
  CHECK(f.view.layout().zoom() == MapZoom{14, 1});
}

TEST_CASE("pointing says which block, leaving says that none is") {
  MapFixture f;
  QSignalSpy hovered(&f.view, &MapView::hovered);
  QTest::mouseMove(&f.view, f.centre_of(70));
  REQUIRE(hovered.count() == 1);
  CHECK(hovered.takeFirst().at(0).value<std::optional<std::uint32_t>>() == 70U);
  QTest::mouseMove(&f.view, QPoint(3, 3));  // the addresses
  REQUIRE(hovered.count() == 1);
  CHECK(hovered.takeFirst().at(0).value<std::optional<std::uint32_t>>() == std::nullopt);
}

TEST_CASE("a click chooses, a drag pans and does not choose") {
  MapFixture f;
  QSignalSpy chosen(&f.view, &MapView::chosen);
  QTest::mouseClick(&f.view, Qt::LeftButton, {}, f.centre_of(99));
  REQUIRE(chosen.count() == 1);
  CHECK(chosen.takeFirst().at(0).toUInt() == 99);
  f.view.set_zoom({64, 1}, {0, 0});
  QTest::mousePress(&f.view, Qt::LeftButton, {}, QPoint(500, 300));
  QTest::mouseMove(&f.view, QPoint(400, 250));
  QTest::mouseRelease(&f.view, Qt::LeftButton, {}, QPoint(400, 250));
  CHECK(f.view.layout().origin() == QPoint(100, 50));
  CHECK(chosen.count() == 0);
}

TEST_CASE("the keyboard alone reaches and chooses any block") {
  MapFixture f;
  QSignalSpy chosen(&f.view, &MapView::chosen);
  f.view.setFocus();
  f.view.move_focus(0, 0);
  f.view.move_focus(3, 0);
  f.view.move_focus(0, 2);
  QTest::keyClick(&f.view, Qt::Key_Return);
  REQUIRE(chosen.count() == 1);
  CHECK(chosen.takeFirst().at(0).toUInt() == 2 * 64 + 3);
  f.view.set_zoom({136, 1}, {0, 0});
  for (int i = 0; i < 60; ++i)
    f.view.move_focus(1, 0);
  const QRect cell = f.view.layout().cell(*f.view.focus_block());
  CHECK(QRect(QPoint(0, 0), f.view.layout().view()).contains(cell));
}

TEST_CASE("F brings the selection into view as large as it fits") {
  MapFixture f;
  f.view.set_selected({200, 201, 265});
  f.view.fit_selection();
  CHECK(f.view.layout().zoom() == MapZoom{136, 1});
  for (const std::uint32_t b : {200U, 201U, 265U})
    CHECK(QRect(QPoint(0, 0), f.view.layout().view()).contains(f.view.layout().cell(b)));
}

TEST_CASE("what the widget shows is what the painter painted") {
  MapFixture f;
  const QImage shown = f.view.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QImage painted = map_image(f.pool.scene(Theme::light), f.view.layout());
  const QRect area = f.view.cells_area();
  CHECK(shown.copy(area) == painted.copy(QRect(QPoint(0, 0), area.size())));
}

}  // namespace
