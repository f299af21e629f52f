// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QDir>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "gui/widgets/sweep/sweep_view.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sweep/result_files.hpp"
#include "tests/gui/sweep/small_sweep.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::test::SweepFolder;

namespace {

struct Shown {
  SweepFolder folder;
  SweepSession session;
  SweepView view{session};

  Shown() {
    session.open(folder.file());
    view.set_folder(folder.out());
    view.resize(1300, 820);
    view.show();
    view.run();
    session.wait();
    QCoreApplication::processEvents();
  }
};

}  // namespace

TEST_CASE("A sweep runs from its button and fills plot and table") {
  Shown shown;
  CHECK(shown.session.status() == SweepSession::Status::finished);
  CHECK(shown.view.table().model()->rowCount() == 6);
  CHECK(shown.view.plot().plot().dots.size() == 5);
  const QString folder = qEnvironmentVariable("VACANCY_PICTURES");
  if (!folder.isEmpty()) shown.view.grab().save(QDir(folder).filePath("sweep.png"));
}

TEST_CASE("Plot and table share one selection, and a double click opens the point's scenario") {
  Shown shown;
  PlotView& plot = shown.view.plot();
  const SweepPlot& dots = plot.plot();
  const QRectF inside = plot_inside(plot.rect());
  const PlotDot& dot = dots.dots.back();
  const QPoint at(static_cast<int>(inside.left() + dot.x * inside.width()),
                  static_cast<int>(inside.bottom() - dot.y * inside.height()));
  QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
  const auto* order = qobject_cast<const SweepOrder*>(shown.view.table().model());
  REQUIRE(shown.view.table().currentIndex().isValid());
  CHECK(order->mapToSource(shown.view.table().currentIndex()).row() == int(dot.row));

  QSignalSpy wanted(&shown.view, &SweepView::scenario_wanted);
  QTest::mouseDClick(&plot, Qt::LeftButton, {}, at);
  REQUIRE(wanted.count() == 1);
  const std::string text = wanted.front().front().toString().toStdString();
  const Scenario scenario = load_scenario_text(text, "point", ".");
  const auto& point = shown.session.results()->points[dot.row];
  CHECK(std::to_string(scenario.cache.block_size) == point.at[0].text);
  CHECK(scenario.reclaimer == point.at[1].text);
}

TEST_CASE("What is finished, and the run of the chosen row, are said below the table") {
  Shown shown;
  INFO(shown.view.summary().toStdString());
  CHECK(shown.view.summary().startsWith(QStringLiteral("12 of 12 runs finished; ")));
  CHECK(shown.view.summary().contains(QStringLiteral("of 6 points on the Pareto front")));
  QPushButton* open = nullptr;
  for (QPushButton* button : shown.view.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Open run")) open = button;
  REQUIRE(open != nullptr);
  CHECK_FALSE(open->isEnabled());
  shown.view.table().selectRow(1);
  REQUIRE(open->isEnabled());
  QSignalSpy wanted(&shown.view, &SweepView::scenario_wanted);
  open->click();
  CHECK(wanted.count() == 1);
}

TEST_CASE("The keyboard goes from point to point") {
  Shown shown;
  QSignalSpy chosen(&shown.view.plot(), &PlotView::row_chosen);
  QSignalSpy opened(&shown.view.plot(), &PlotView::row_opened);
  for (int i = 0; i < 5; ++i)
    QTest::keyClick(&shown.view.plot(), Qt::Key_Right);
  QSet<qulonglong> rows;
  for (const auto& call : chosen)
    rows << call.front().toULongLong();
  CHECK(rows.size() == 5);
  QTest::keyClick(&shown.view.plot(), Qt::Key_Return);
  CHECK(opened.count() == 1);
  CHECK_FALSE(shown.view.plot().accessibleDescription().isEmpty());
}

TEST_CASE("A card's menu hides values in plot and table until another sweep opens") {
  Shown shown;
  const auto cards = shown.view.findChild<AxisCards*>()->findChildren<QPushButton*>();
  REQUIRE(cards.size() == 2);
  const auto choices = cards[0]->menu()->actions();
  const auto choice = [&](const QString& text) {
    return *std::find_if(choices.begin(), choices.end(),
                         [&](const QAction* action) { return action->text() == text; });
  };
  QAction *all = choice(QStringLiteral("All")), *eight = choice(QStringLiteral("8"));
  const auto rows = [&] { return shown.view.table().model()->rowCount(); };
  const auto dots = [&] { return shown.view.plot().plot().dots.size(); };
  REQUIRE((all->isChecked() && eight->isChecked()));
  eight->trigger();
  CHECK(rows() == 4);
  CHECK(dots() == 3);
  CHECK_FALSE(all->isChecked());
  CHECK(cards[0]->accessibleName() == QStringLiteral("Axis block: 4, 16 · 1 of 3 hidden"));
  SECTION("and all of them at once") {
    all->trigger();
    CHECK(rows() == 6);
    all->trigger();
    CHECK(rows() == 0);
    CHECK(dots() == 0);
    CHECK(shown.view.plot().accessibleDescription().contains(QStringLiteral("hidden")));
  }
  SECTION("the export stays whole") {
    const auto file = shown.folder.out() / "table.csv";
    shown.view.export_csv(file);
    std::ifstream stream(file);
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line);)
      ++lines;
    CHECK(lines == 1 + 6);
  }
  SECTION("and is forgotten with the sweep") {
    const SweepFolder other;
    shown.session.open(other.file());
    shown.view.set_folder(other.out());
    shown.view.run();
    shown.session.wait();
    QCoreApplication::processEvents();
    CHECK(rows() == 6);
    CHECK(dots() == 5);
  }
}

TEST_CASE("The menu of a card opens with the space bar and stays while values are ticked") {
  Shown shown;
  QPushButton* card = shown.view.findChild<AxisCards*>()->findChild<QPushButton*>();
  QMenu& menu = *card->menu();
  menu.popup({0, 0});
  QTest::keyClick(&menu, Qt::Key_Down);
  while (menu.activeAction() == nullptr || menu.activeAction()->text() != QStringLiteral("8"))
    QTest::keyClick(&menu, Qt::Key_Down);
  QTest::keyClick(&menu, Qt::Key_Space);
  CHECK(menu.isVisible());
  CHECK(shown.view.table().model()->rowCount() == 4);
  QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(menu.activeAction()).center());
  CHECK(menu.isVisible());
  CHECK(shown.view.table().model()->rowCount() == 6);
  QTest::keyClick(&menu, Qt::Key_Escape);
  CHECK_FALSE(menu.isVisible());
}

TEST_CASE("The table's columns fill its width") {
  Shown shown;
  const QTableView& table = shown.view.table();
  CHECK(table.horizontalHeader()->length() == table.viewport()->width());
  shown.view.resize(1500, 820);
  QCoreApplication::processEvents();
  CHECK(table.horizontalHeader()->length() == table.viewport()->width());
}

TEST_CASE("Choices of figures have words, and keys as tooltips") {
  Shown shown;
  bool found = false;
  for (const QComboBox* box : shown.view.findChildren<QComboBox*>()) {
    const int at = box->findText(QStringLiteral("reclaim efficiency"));
    if (at < 0) continue;
    found = true;
    CHECK(box->itemData(at, Qt::ToolTipRole).toString() ==
          QStringLiteral("reclaim.reclaim_efficiency"));
  }
  CHECK(found);
}

TEST_CASE("The exported table is the command line's") {
  Shown shown;
  const auto file = shown.folder.out() / "table.csv";
  shown.view.export_csv(file);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  CHECK(bytes == results_csv(*shown.session.sweep(), *shown.session.results()));
}
