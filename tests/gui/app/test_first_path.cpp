// SPDX-License-Identifier: Apache-2.0
// The way of somebody who starts the program for the first time, with the mouse alone: from the
// start page to the figure that the program is about (docs/gui.md, "The first five clicks").
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <algorithm>

#include "gui/widgets/start_page.hpp"
#include "tests/gui/app/window_fixture.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::test;

/// Clicks where the middle of what can be seen of it is; fails if that is nothing.
struct Mouse {
  int clicks = 0;

  void click(QWidget& widget) {
    const QRect seen = widget.visibleRegion().boundingRect();
    REQUIRE_FALSE(seen.isEmpty());
    QTest::mouseClick(&widget, Qt::LeftButton, {}, seen.center());
    QCoreApplication::processEvents();
    ++clicks;
  }
  /// A slider's handle from its left end to a share of its way.
  void drag(QSlider& slider, double share) {
    REQUIRE_FALSE(slider.visibleRegion().isEmpty());
    const QPoint from(4, slider.height() / 2);
    const QPoint to(static_cast<int>(slider.width() * share), from.y());
    QTest::mousePress(&slider, Qt::LeftButton, {}, from);
    QTest::mouseMove(&slider, to);
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, to);
    QCoreApplication::processEvents();
    ++clicks;
  }
};

template <class W>
W& named(QWidget& in, const QString& text) {
  const auto all = in.findChildren<W*>();
  const auto found = std::find_if(all.begin(), all.end(), [&](const W* w) {
    if constexpr (std::is_base_of_v<QAbstractButton, W>)
      return w->text() == text && w->isVisible();
    else
      return w->accessibleName() == text;
  });
  INFO(text.toStdString());
  REQUIRE(found != all.end());
  return **found;
}

bool says(QWidget& in, const QString& text) {
  const auto labels = in.findChildren<QLabel*>();
  return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
    return label->isVisible() && label->text() == text;
  });
}

TEST_CASE("five clicks lead from the start page to the 11.8 % of lesson 2") {
  for (const QSize size : {QSize(1600, 1000), QSize(1024, 768)}) {
    CAPTURE(size.width());
    ShownWindow shown;
    MainWindow& window = shown.window;
    window.resize(size);
    QCoreApplication::processEvents();
    const QString result = QStringLiteral("11.8\u00a0%");
    Mouse mouse;
    const QString lesson = QStringLiteral("2  Evicting most of the tokens: what comes back?");
    // Cards are laid out anew when their pictures have come.
    REQUIRE(QTest::qWaitFor(
        [&] { return !named<StartCard>(window, lesson).visibleRegion().isEmpty(); }, 120'000));
    mouse.click(named<StartCard>(window, lesson));
    const auto pages = window.findChildren<LessonPage*>();
    REQUIRE(pages.size() == 1);
    LessonPage& page = *pages.front();
    mouse.click(named<QPushButton>(page, QStringLiteral("Next step")));
    mouse.click(named<QPushButton>(page, QStringLiteral("Next step")));
    REQUIRE(page.player().asking());
    CHECK_FALSE(says(page, result));
    QPushButton& lock = named<QPushButton>(page, QStringLiteral("Lock my answer"));
    CHECK_FALSE(lock.isEnabled());
    mouse.drag(*page.findChild<QSlider*>(), 0.875);
    CHECK(lock.isEnabled());
    mouse.click(lock);
    REQUIRE(page.player().page().reveal);
    CHECK(page.player().page().reveal->answer->value > 700);
    CHECK(says(page, result));
    CHECK(mouse.clicks == 5);
  }
}

}  // namespace
