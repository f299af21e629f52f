// SPDX-License-Identifier: Apache-2.0
// Lessons with the keyboard alone.
#include <QApplication>
#include <QPushButton>
#include <QTest>
#include <catch2/catch.hpp>
#include <set>

#include "gui/lessons/lesson_page.hpp"
#include "gui/lessons/lesson_shelf.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

struct Shown {
  explicit Shown(std::uint32_t number, std::size_t step)
      : shelf(vacancy::test::source_dir() / "scenarios" / "lessons"),
        player(*shelf.find(number), shelf.glossary(), shelf.find(number)->seed),
        page(player) {
    player.go_to(step);
    page.resize(1400, 900);
    page.show();
    page.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&page));
    page.go_to(step);
  }
  /// To whatever has the keyboard.
  static void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
  static QString focused() {
    const auto* button = qobject_cast<QPushButton*>(QApplication::focusWidget());
    return button != nullptr ? button->text() : QString();
  }

  LessonShelf shelf;
  LessonPlayer player;
  LessonPage page;
};

}  // namespace

TEST_CASE("A number is typed, locked and gone on from without a pointer") {
  Shown shown(2, 2);
  REQUIRE(shown.player.asking());
  for (const char digit : {'7', '0', '0'})
    QTest::keyClick(QApplication::focusWidget(), digit);
  Shown::press(Qt::Key_Return);
  CHECK(shown.player.asking());  // the button that locks is next
  CHECK(Shown::focused() == QStringLiteral("Lock my answer"));
  Shown::press(Qt::Key_Space);
  REQUIRE(shown.player.page().reveal);
  CHECK(shown.player.page().reveal->answer->value == 700);
  CHECK(Shown::focused() == QStringLiteral("Next step"));
  Shown::press(Qt::Key_Return);
  CHECK(shown.player.step() == 3);
}

TEST_CASE("Blocks are picked and locked without a pointer") {
  Shown shown(1, 3);
  REQUIRE(shown.player.page().question->kind == QuestionKind::blocks);
  CHECK(QApplication::focusWidget() == &shown.page.picture());
  for (int i = 0; i < 4; ++i)
    Shown::press(Qt::Key_Right);
  Shown::press(Qt::Key_Space);
  CHECK(shown.page.picture().picked() == std::vector<std::uint32_t>{4});
  Shown::press(Qt::Key_Return);
  Shown::press(Qt::Key_Return);
  CHECK(shown.player.page().reveal);
}

TEST_CASE("Tab goes from the answer to its buttons") {
  Shown shown(2, 2);
  QStringList buttons;
  std::set<const QWidget*> met;
  for (QWidget* at = QApplication::focusWidget(); met.insert(at).second;
       at = QApplication::focusWidget()) {
    if (!Shown::focused().isEmpty()) buttons << Shown::focused();
    Shown::press(Qt::Key_Tab);
  }
  // What cannot be locked yet is passed over.
  REQUIRE(!buttons.isEmpty());
  CHECK(buttons.front() == QStringLiteral("Show me"));
  for (const QPushButton* button : shown.page.findChildren<QPushButton*>())
    CHECK((!button->isVisible() || button->focusPolicy() == Qt::StrongFocus));
}

TEST_CASE("The block table of lesson 1 is drawn and told in words") {
  Shown shown(1, 4);
  REQUIRE(shown.player.page().table);
  CHECK(shown.page.picture().accessibleDescription().contains(
      QStringLiteral("place 0: block 0, place 1: block 1, place 2: block 4, place 3: block 6")));
  const QImage drawn = shown.page.picture().grab().toImage();
  shown.page.picture().set_table(std::nullopt);
  CHECK(shown.page.picture().grab().toImage() != drawn);
}
