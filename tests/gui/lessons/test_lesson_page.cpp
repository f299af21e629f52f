// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <filesystem>

#include "gui/lessons/lesson_page.hpp"
#include "gui/lessons/lesson_shelf.hpp"
#include "gui/widgets/theme.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/gui/support/visible_texts.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::test::texts_of;

namespace {

const LessonShelf& shelf() {
  static const LessonShelf lessons(test::source_dir() / "scenarios" / "lessons");
  return lessons;
}

/// The text without the line that names the seed.
QStringList without_seed(QStringList texts) {
  texts.removeIf([](const QString& text) { return text.startsWith(QLatin1String("seed ")); });
  return texts;
}

/// Whether an earlier reveal has shown the pool that this step shows.
bool was_shown(const Lesson& lesson, std::size_t step) {
  for (std::size_t i = 0; i < step; ++i)
    if (lesson.steps[i].reveal && lesson.steps[i].reveal->show == lesson.steps[step].show)
      return true;
  return false;
}

/// Where pictures go if somebody wants to look at them: VACANCY_PICTURES.
void keep_picture(QWidget& widget, const QString& name) {
  const QString folder = qEnvironmentVariable("VACANCY_PICTURES");
  if (!folder.isEmpty()) widget.grab().save(QDir(folder).filePath(name + ".png"));
}

}  // namespace

TEST_CASE("a lesson that cannot be read leaves the others, and says why") {
  namespace fs = std::filesystem;
  const QTemporaryDir folder;
  const fs::path copy = fs::path(folder.path().toStdString()) / "lessons";
  fs::copy(test::source_dir() / "scenarios" / "lessons", copy, fs::copy_options::recursive);
  const fs::path damaged = copy / "02-what-comes-back" / "lesson.json";
  fs::resize_file(damaged, 100);
  const LessonShelf some(copy);
  CHECK(some.lessons().size() == shelf().lessons().size() - 1);
  CHECK(some.find(2) == nullptr);
  REQUIRE(some.faults().size() == 1);
  CHECK_THAT(some.faults()[0], Catch::Contains(damaged.string()));
  CHECK(shelf().faults().empty());

  fs::remove_all(copy);
  const LessonShelf none(copy);
  CHECK(none.lessons().empty());
  REQUIRE(none.faults().size() == 1);
  CHECK_THAT(none.faults()[0], Catch::Contains(copy.string()));
}

TEST_CASE("Before the lock no widget, tooltip or accessible text depends on a result") {
  for (const Lesson& lesson : shelf().lessons()) {
    CAPTURE(lesson.name);
    LessonPlayer one(lesson, shelf().glossary(), lesson.seed);
    LessonPlayer other(lesson, shelf().glossary(), lesson.seed + 1);
    for (std::size_t step = 0; step < lesson.steps.size(); ++step) {
      if (!lesson.steps[step].ask) continue;
      // Each question in a window of its own: what earlier reveals told is no secret any more.
      LessonPlayer first(lesson, shelf().glossary(), lesson.seed, nullptr, true);
      LessonPlayer second(lesson, shelf().glossary(), lesson.seed + 1, nullptr, true);
      first.go_to(step);
      second.go_to(step);
      LessonPage page(first), twin(second);
      page.resize(1200, 800);
      twin.resize(1200, 800);
      CAPTURE(step);
      auto texts = without_seed(texts_of(page)), twin_texts = without_seed(texts_of(twin));
      if (was_shown(lesson, step)) {
        texts.removeOne(page.picture().accessibleDescription());
        twin_texts.removeOne(twin.picture().accessibleDescription());
      }
      CHECK((texts == twin_texts));
      const auto truth = [&](LessonPlayer& player) {
        player.show_me();
        return player.page().reveal->truth.value;
      };
      const QString told =
          QString::fromStdString(lesson_number(truth(first), first.page().question->unit));
      if (told.size() > 2 && told != QLatin1String("875"))
        for (const QString& text : texts_of(twin))
          CHECK_FALSE(text.contains(told));
    }
  }
}

TEST_CASE("A lesson can be played to its end") {
  for (const Lesson& lesson : shelf().lessons()) {
    CAPTURE(lesson.name);
    LessonPlayer player(lesson, shelf().glossary(), lesson.seed);
    LessonPage page(player);
    page.resize(1600, 1000);
    page.show();
    for (int steps = 0; steps < 20; ++steps) {
      QCoreApplication::processEvents();
      if (player.asking()) {
        keep_picture(page,
                     QString::fromStdString(lesson.name) + QString::number(player.step()) + "a");
        if (player.page().question->kind == QuestionKind::blocks) {
          QTest::mouseClick(&page.picture(), Qt::LeftButton, {}, {60, 10});
          CHECK(page.picture().picked() == std::vector<std::uint32_t>{0});
        } else {
          page.set_answer(player.page().question->highest / 2);
        }
        page.lock();
        CHECK(player.page().reveal);
        QCoreApplication::processEvents();
      }
      keep_picture(page,
                   QString::fromStdString(lesson.name) + QString::number(player.step()) + "b");
      if (player.finished()) break;
      page.next();
    }
    CHECK(player.finished());
    QSignalSpy onward(&page, &LessonPage::next_lesson_wanted);
    page.next();
    CHECK(onward.count() == 1);
  }
}

TEST_CASE("Nothing can be locked before somebody chose") {
  const Lesson& lesson = *shelf().find(2);
  LessonPlayer player(lesson, shelf().glossary(), lesson.seed);
  player.go_to(2);
  LessonPage page(player);
  page.lock();
  CHECK(player.asking());
  page.set_answer(700);
  page.lock();
  REQUIRE(player.page().reveal);
  CHECK(player.page().reveal->answer->value == 700);
}

/// Whether the line above a curve is written, and ends before the plot does.
bool has_whole_title(CurveChart& chart) {
  const QImage image = chart.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QRgb ground = image.pixel(0, 0);
  int written = 0, beyond = 0;
  for (int y = 0; y < 17; ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) != ground) ++(x < image.width() - 44 ? written : beyond);
  return written > 200 && beyond == 0;
}

TEST_CASE("An axis says what is on it, with its unit, before the lock and after it") {
  auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
  int curves = 0;
  for (const auto& [theme, size] :
       {std::pair(Theme::light, QSize(1024, 700)), {Theme::dark, QSize(1600, 930)}}) {
    set_theme(application, theme);
    for (const Lesson& lesson : shelf().lessons()) {
      for (std::size_t step = 0; step < lesson.steps.size(); ++step) {
        const auto& ask = lesson.steps[step].ask;
        if (!ask || ask->kind == QuestionKind::blocks) continue;
        CAPTURE(lesson.name, step);
        const auto with_unit = [](const LessonFigure& figure) {
          return QString::fromStdString(figure.title)
              .contains(QString::fromStdString(figure.unit == "share" ? "%" : figure.unit),
                        Qt::CaseInsensitive);
        };
        const LessonFigure& asked = lesson.figure(ask->expected);
        CHECK(with_unit(asked));
        LessonPlayer player(lesson, shelf().glossary(), lesson.seed);
        player.go_to(step);
        LessonPage page(player);
        page.resize(size);
        page.show();
        CHECK(texts_of(page).contains(QString::fromStdString(asked.title)));
        player.show_me();
        page.go_to(step);
        QCoreApplication::processEvents();
        CHECK(texts_of(page).contains(QString::fromStdString(asked.title)));
        auto& chart = *page.findChild<CurveChart*>();
        if (!lesson.steps[step].reveal->curve) continue;
        ++curves;
        const LessonFigure& drawn = lesson.figure(lesson.steps[step].reveal->curve->figure);
        CHECK(with_unit(drawn));
        CHECK(chart.accessibleName().contains(QString::fromStdString(drawn.title)));
        CHECK(page.rect().contains(QRect(chart.mapTo(&page, QPoint()), chart.size())));
        CHECK(has_whole_title(chart));
        keep_picture(page, QStringLiteral("curve%1_%2").arg(lesson.number).arg(size.width()));
      }
    }
  }
  set_theme(application, Theme::light);
  CHECK(curves == 6);
}

TEST_CASE("What is told of free blocks stands beside free blocks, and figures stay whole") {
  const auto revealed = [](std::uint32_t lesson, std::size_t step) {
    LessonPlayer player(*shelf().find(lesson), shelf().glossary(), shelf().find(lesson)->seed);
    player.go_to(step);
    player.show_me();
    LessonPage page(player);
    return std::pair(page.picture().accessibleDescription(), texts_of(page));
  };
  INFO(revealed(2, 2).first.toStdString());
  CHECK(revealed(2, 2).first.contains(QStringLiteral("the method promises 875")));
  // MiB that are moved, and the blocks that are held at most.
  CHECK_FALSE(revealed(5, 3).first.contains(QStringLiteral("closing ranks")));
  CHECK_FALSE(revealed(5, 4).first.contains(QStringLiteral("holes left lying")));
  for (const QString& text : revealed(2, 2).second)
    CHECK_FALSE(text.contains(QStringLiteral("87.5 %")));  // it may break there
}

TEST_CASE("After the last lesson come all of them") {
  const Lesson& lesson = *shelf().find(5);
  LessonPlayer player(lesson, shelf().glossary(), lesson.seed, nullptr, true);
  player.go_to(lesson.steps.size() - 1);
  LessonPage page(player, true);
  QSignalSpy all(&page, &LessonPage::all_lessons_wanted);
  page.next();
  CHECK(all.count() == 1);
  CHECK_FALSE(texts_of(page).contains(QStringLiteral("Next lesson")));
}

TEST_CASE("Free play hands out a scenario that runs") {
  const Lesson& lesson = *shelf().find(5);
  LessonPlayer player(lesson, shelf().glossary(), 3);
  LessonPage page(player);
  QSignalSpy wanted(&page, &LessonPage::free_play_wanted);
  for (auto* button : page.findChildren<QPushButton*>())
    if (button->text() == QLatin1String("Free play")) button->click();
  REQUIRE(wanted.count() == 1);
  const std::string text = wanted.front().front().toString().toStdString();
  CHECK(load_scenario_text(text, "free play", ".").seed == 3);
}

TEST_CASE("Progress lives in the program's settings") {
  const QString file = QDir::temp().filePath(
      QStringLiteral("vacancy_progress_%1.ini").arg(QCoreApplication::applicationPid()));
  {
    QSettings settings(file, QSettings::IniFormat);
    SettingsProgress progress(settings);
    CHECK(shelf().next(progress)->number == 1);
    LessonPlayer player(*shelf().find(1), shelf().glossary(), 1, &progress);
    while (!player.finished()) {
      player.show_me();
      player.next();
    }
    CHECK(shelf().next(progress)->number == 2);
  }
  QSettings settings(file, QSettings::IniFormat);
  CHECK(shelf().next(SettingsProgress(settings))->number == 2);
  QFile::remove(file);
}
