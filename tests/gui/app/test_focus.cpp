// SPDX-License-Identifier: Apache-2.0
// Tab: to every control of a page, to each once, as one reads.
#include <QAbstractButton>
#include <QAccessible>
#include <QApplication>
#include <QScrollArea>
#include <QThreadPool>
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "gui/lessons/lesson_page.hpp"
#include "gui/widgets/map_header.hpp"
#include "gui/widgets/playback_bar.hpp"
#include "tests/gui/app/window_fixture.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::test;

std::string name_of(const QWidget* widget) {
  QString name = widget->metaObject()->className();
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
    name += ' ' + button->text();
  return (name + " “" + widget->accessibleName() + "”").toStdString();
}

/// Whether it is in the window, or would be after scrolling: a dock that is behind others is not.
bool there(const QWidget* widget) {
  const QWidget* part = widget;
  while (part->parentWidget() != widget->window())
    part = part->parentWidget();
  return !part->visibleRegion().isEmpty();
}

/// All that the keyboard could be on.
std::set<QWidget*> controls_of(const MainWindow& window) {
  std::set<QWidget*> controls;
  for (QWidget* widget : window.findChildren<QWidget*>())
    if ((widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisible() && widget->isEnabled() &&
        widget->focusProxy() == nullptr && widget->window() == &window && there(widget))
      controls.insert(widget);
  return controls;
}

/// Where Tab goes, from where the keyboard is until it is there again.
std::vector<QWidget*> tabbed_through(MainWindow& window) {
  constexpr std::size_t too_many = 400;
  std::vector<QWidget*> order;
  QTest::keyClick(window.focusWidget() != nullptr ? window.focusWidget() : &window, Qt::Key_Tab);
  for (QWidget* at = QApplication::focusWidget();
       at != nullptr && std::find(order.begin(), order.end(), at) == order.end() &&
       order.size() < too_many;
       at = QApplication::focusWidget()) {
    order.push_back(at);
    QTest::keyClick(at, Qt::Key_Tab);
  }
  return order;
}

/// What stands apart from the rest: a dock, the tools, the page.
const QWidget* region_of(const QWidget* widget) {
  while (widget->parentWidget() != widget->window())
    widget = widget->parentWidget();
  return widget;
}

/// What is read as one: what scrolls, what is in a bar.
const QWidget* part_of(const QWidget* widget) {
  for (const QWidget* at = widget; at != nullptr; at = at->parentWidget())
    if (qobject_cast<const QScrollArea*>(at) != nullptr ||
        qobject_cast<const MapHeader*>(at) != nullptr ||
        qobject_cast<const PlaybackBar*>(at) != nullptr)
      return at;
  return widget;
}

QRect place_of(const QWidget* widget) {
  return {widget->mapTo(widget->window(), QPoint(0, 0)), widget->size()};
}

/// Below, or to the right in the same line, or in the next column.
bool follows(const QWidget* second, const QWidget* first) {
  const QRect a = place_of(first), b = place_of(second);
  if (b.top() > a.center().y() || b.left() > a.right()) return true;
  return b.bottom() > a.top() && b.left() >= a.left();
}

/// Regions one after the other, and parts in them, each as it is read.
void check_order(const std::vector<QWidget*>& order) {
  std::set<const QWidget*> regions = {region_of(order.front())};
  for (std::size_t i = 1; i < order.size(); ++i) {
    const QWidget *before = order[i - 1], *now = order[i];
    INFO(name_of(before) << " before " << name_of(now));
    if (region_of(before) != region_of(now)) {
      INFO("a region for the second time");
      CHECK(regions.insert(region_of(now)).second);
    } else if (part_of(before) != part_of(now)) {
      CHECK(follows(part_of(now), part_of(before)));
    } else {
      CHECK(follows(now, before));
    }
  }
}

std::vector<QRect> places_of(MainWindow& window) {
  std::vector<QRect> places;
  for (const QWidget* control : controls_of(window))
    places.push_back(place_of(control));
  return places;
}

/// Until pictures of lessons have made their cards anew and every layout has had its turn.
void settle(MainWindow& window) {
  QThreadPool::globalInstance()->waitForDone();
  std::vector<QRect> before;
  for (int still = 0; still < 3; ++still) {
    QTest::qWait(20);
    std::vector<QRect> now = places_of(window);
    if (now != before) still = 0;
    before = std::move(now);
  }
}

void check_tabs(MainWindow& window) {
  settle(window);
  const std::set<QWidget*> controls = controls_of(window);
  REQUIRE_FALSE(controls.empty());
  std::vector<QWidget*> order = tabbed_through(window);
  std::string all;
  for (const QWidget* at : order) {
    const QRect place = place_of(at);
    all += "\n  " + name_of(at) + " at " + std::to_string(place.left()) + ", " +
           std::to_string(place.top()) + ", " + std::to_string(place.width()) + " wide";
  }
  INFO("order:" << all);
  for (QWidget* control : controls) {
    INFO("without a name for screen readers: " << name_of(control));
    QAccessibleInterface* const told = QAccessible::queryAccessibleInterface(control);
    REQUIRE(told != nullptr);
    CHECK_FALSE(told->text(QAccessible::Name).isEmpty());
  }
  for (QWidget* control : controls) {
    INFO("never reached: " << name_of(control));
    CHECK(std::find(order.begin(), order.end(), control) != order.end());
  }
  CHECK(order.size() == controls.size());
  // From a region's first control on, not from within one.
  const auto before = [](const QWidget* x, const QWidget* y) {
    return region_of(x) != region_of(y) || !follows(part_of(y), part_of(x));
  };
  const auto enters = std::adjacent_find(order.begin(), order.end(), before);
  if (enters != order.end()) std::rotate(order.begin(), enters + 1, order.end());
  check_order(order);
}

TEST_CASE("Tab reaches every control of a page once") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  SECTION("start") {
    check_tabs(window);
  }
  SECTION("run") {
    open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
    check_tabs(window);
  }
  SECTION("two runs") {
    open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json"),
                           scenario_path("synthetic/one_survivor_per_block.json")});
    check_tabs(window);
  }
  SECTION("editor") {
    open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
    window.show_editor();
    check_tabs(window);
  }
  SECTION("sweep") {
    window.open_paths({scenario_path("sweeps/block_size.json")});
    check_tabs(window);
  }
  SECTION("lesson") {
    for (const vacancy::Lesson& lesson : window.shelf().lessons()) {
      window.open_lesson(lesson.number, 1);
      check_tabs(window);
      // All there is besides: questions, answers, curves.
      for (auto* page = window.findChild<LessonPage*>(); !page->player().finished();) {
        if (page->player().asking())
          page->show_me();
        else
          page->next();
        INFO("lesson " << lesson.number << ", step " << page->player().step());
        check_tabs(window);
      }
    }
  }
}

}  // namespace
