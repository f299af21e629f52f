// SPDX-License-Identifier: Apache-2.0
// What stands where: titles, the toolbar, sizes, places without a map.
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QStandardItemModel>
#include <QToolBar>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "gui/widgets/focus_ring.hpp"
#include "gui/widgets/legend.hpp"
#include "tests/gui/app/window_fixture.hpp"
#include "tests/gui/gui_scenarios.hpp"

namespace {

using namespace vacancy::gui;
using vacancy::test::Home;
using vacancy::test::open_and_wait;
using vacancy::test::scenario_path;

constexpr auto evict = "seed/evict_14k_of_16k.json";

bool has_toolbar(const MainWindow& window) {
  return window.findChild<QToolBar*>(QStringLiteral("tools"))->isVisible();
}

TEST_CASE("the title is about what is shown, and the toolbar is there for files") {
  const Home home;
  MainWindow window;
  window.show();
  CHECK(window.windowTitle() == QStringLiteral("Vacancy"));
  CHECK_FALSE(has_toolbar(window));
  window.open_lesson(2, std::nullopt);
  CHECK(window.windowTitle().startsWith(QStringLiteral("Lesson 2: ")));
  CHECK_FALSE(has_toolbar(window));
  open_and_wait(window, {scenario_path(evict)});
  CHECK(window.windowTitle().startsWith(QStringLiteral("seed/evict_14k_of_16k.json")));
  CHECK(has_toolbar(window));
  window.show_start_page();
  CHECK_FALSE(has_toolbar(window));
}

TEST_CASE("the start page's rows and buttons are as high as they are made") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path(evict)});
  window.show_start_page();
  QCoreApplication::processEvents();
  const auto height_of = [&](const QString& name) {
    for (const auto* button : window.findChildren<QAbstractButton*>())
      if (button->isVisible() && (button->text() == name || button->accessibleName() == name))
        return button->height();
    return 0;
  };
  CHECK(height_of(QStringLiteral("evict_14k_of_16k.json")) == 46);  // two lines
  CHECK(height_of(QStringLiteral("Open scenario")) >= 36);
}

TEST_CASE("every page fits into 1024 by 768") {
  const Home home;
  const QSize small(1024, 768);
  MainWindow window;
  window.resize(small);
  window.show();
  const auto fits = [&] {
    window.resize(small);
    QCoreApplication::processEvents();
    return window.size() == small;
  };
  CHECK(fits());
  window.open_lesson(2, std::nullopt);
  CHECK(fits());
  open_and_wait(window, {scenario_path(evict)});
  CHECK(fits());
  open_and_wait(window,
                {scenario_path(evict), scenario_path("synthetic/one_survivor_per_block.json")});
  CHECK(fits());
  window.open_paths({scenario_path("sweeps/block_size.json")});
  CHECK(fits());
}

/// Controls and words of one line that are narrower than what they say.
QStringList clipped(const QWidget& window) {
  QStringList found;
  for (const QWidget* each : window.findChildren<QWidget*>()) {
    if (!each->isVisible()) continue;
    const auto* label = qobject_cast<const QLabel*>(each);
    const auto* button = qobject_cast<const QAbstractButton*>(each);
    const QString text = label ? label->text() : button ? button->text() : QString();
    if (text.isEmpty() || (label && (label->wordWrap() || Qt::mightBeRichText(text)))) continue;
    // Of a word that a smaller font or dots were chosen for, what is left has room.
    int room = each->contentsRect().width();
    if (button && !button->icon().isNull()) room -= button->iconSize().width();
    QString shown = text;
    if (button) shown.remove('&');
    const auto* tool = qobject_cast<const QToolButton*>(each);
    if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly) continue;
    if (each->fontMetrics().horizontalAdvance(shown) > room)
      found << QStringLiteral("%1: %2").arg(QLatin1String(each->metaObject()->className()), text);
  }
  return found;
}

TEST_CASE("no word of a page is cut off at 1024 by 768, in either font") {
  const Home home;
  const QFont before = QApplication::font();
  for (const char* family : {"Noto Sans", "DejaVu Sans"}) {
    CAPTURE(family);
    QFont font = before;
    font.setFamilies({QLatin1String(family)});
    QApplication::setFont(font);
    MainWindow window;
    window.resize(1024, 768);
    window.show();
    const auto whole = [&](const char* page) {
      QCoreApplication::processEvents();
      CAPTURE(page);
      CHECK(clipped(window).join('\n').toStdString() == "");
    };
    whole("start");
    for (std::uint32_t lesson = 1; lesson <= 5; ++lesson) {
      LessonWish wish;
      wish.number = lesson;
      wish.step = 1;
      window.show_lesson(wish);
      whole("lesson");
    }
    open_and_wait(window, {scenario_path(evict)});
    whole("run");
    window.show_editor();
    whole("editor");
    window.open_paths({scenario_path("sweeps/block_size.json")});
    whole("sweep");
    open_and_wait(window,
                  {scenario_path(evict), scenario_path("synthetic/one_survivor_per_block.json")});
    whole("two runs");
  }
  QApplication::setFont(before);
}

TEST_CASE("the legend has all of its classes beside a preview and an overview") {
  const Home home;
  MainWindow window;
  window.resize(1024, 768);
  window.show();
  open_and_wait(window, {scenario_path(evict)});
  window.selection().set_sequence(0);
  window.run_page().show_what_if();
  window.zoom_map({96, 1});
  QCoreApplication::processEvents();
  CHECK(window.findChild<Legend*>()->height() >= Legend::least_height);
}

TEST_CASE("an engine without block tables has figures, a timeline, and a word about the map") {
  const Home home;
  MainWindow window;
  window.show();
  window.session().adopt(
      vacancy::test::record(vacancy::test::small_serving("sglang-2026-07", "", 600, 20)),
      QStringLiteral("tree.json"));
  QCoreApplication::processEvents();
  RunSession& session = window.session();
  session.seek_time(session.recording().end_ns() / 2);
  CHECK(window.run_page().map().accessibleDescription().contains(QStringLiteral("engine.profile")));
  const auto& shape = session.recording().shape();
  CHECK(session.slots_now().total() == std::uint64_t{*shape.blocks} * shape.block_size);
  CHECK(session.slots_now().all_live() > 0);
  CHECK(session.slots_now().slots == session.column_now().slots);
  CHECK(session.figures().back().note.endsWith(QStringLiteral("of 600")));  // free blocks
}

TEST_CASE("what events do not tell is no colour, and says why") {
  const Home home;
  MainWindow window;
  for (const auto* box : window.run_page().findChildren<QComboBox*>()) {
    if (box->accessibleName() != QStringLiteral("Colour by")) continue;
    int known = 0, untold = 0;
    const auto* model = qobject_cast<const QStandardItemModel*>(box->model());
    for (int i = 0; i < box->count(); ++i) {
      const bool enabled = model->item(i)->isEnabled();
      ++(enabled ? known : untold);
      CHECK((enabled || !model->item(i)->toolTip().isEmpty()));
    }
    CHECK(known + untold == 7);  // all that there are
    CHECK(known == static_cast<int>(offered_colourings.size()));
    return;
  }
  FAIL("no choice of colours");
}

TEST_CASE("the control with the keyboard has a ring") {
  const Home home;
  MainWindow window;
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  const auto* ring = window.findChild<FocusRing*>();
  REQUIRE(ring != nullptr);
  window.open_lesson(2, std::nullopt);
  QTest::qWait(1);
  CHECK(ring->ringed() == window.focusWidget());
  CHECK(ring->ringed() != nullptr);
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
    QWidget* focused = window.focusWidget();
    CHECK((ring->ringed() == nullptr || ring->ringed() == focused));
  }
}

}  // namespace
