// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <catch2/catch.hpp>

#include "gui/model/sweep/sweep_session.hpp"
#include "gui/model/sweep/sweep_table.hpp"
#include "sim/sweep/figure_text.hpp"
#include "tests/gui/sweep/small_sweep.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using vacancy::test::SweepFolder;

namespace {

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

/// The finished sweep, and the same with fewer points.
struct Finished {
  SweepFolder folder;
  SweepSession session;
  std::shared_ptr<const SweepResults> all, some;

  Finished() {
    session.open(folder.file());
    session.start(folder.out(), 2);
    session.wait();
    QCoreApplication::processEvents();
    all = session.results();
    auto fewer = std::make_shared<SweepResults>(*all);
    fewer->points.resize(2);
    some = fewer;
  }
};

}  // namespace

TEST_CASE("The table is a sound model while rows come in and go") {
  Finished sweep;
  SweepTable table;
  SweepOrder order;
  order.setSortRole(SweepTable::sort_role);
  order.setSourceModel(&table);
  const QAbstractItemModelTester table_tester(&table, fatal), order_tester(&order, fatal);
  CHECK(table.rowCount() == 0);
  table.set_results(sweep.session.sweep(), sweep.some);
  CHECK(table.rowCount() == 2);
  order.sort(2, Qt::DescendingOrder);
  table.set_results(sweep.session.sweep(), sweep.all);
  CHECK(table.rowCount() == 6);
  CHECK(order.rowCount() == 6);
  order.set_front_only(true);
  for (int row = 0; row < order.rowCount(); ++row)
    CHECK(order.index(row, table.columnCount() - 1).data().toString() == "✓");
  table.set_results(sweep.session.sweep(), sweep.some);
  CHECK(table.rowCount() == 2);
  table.set_results(nullptr, nullptr);
  CHECK(table.columnCount() == 0);
}

TEST_CASE("Cells say what the results say") {
  Finished sweep;
  SweepTable table;
  table.set_results(sweep.session.sweep(), sweep.all);
  REQUIRE(table.columnCount() == 6);
  CHECK(table.headerData(0, Qt::Horizontal).toString() == "block");
  CHECK(table.headerData(3, Qt::Horizontal).toString() == "bytes moved");
  CHECK(table.headerData(3, Qt::Horizontal, Qt::ToolTipRole).toString() == "reclaim.bytes_moved");
  for (int row = 0; row < table.rowCount(); ++row) {
    const PointResult& point = sweep.all->points[std::size_t(row)];
    CHECK(table.index(row, 1).data().toString().toStdString() == point.at[1].text);
    CHECK(table.index(row, 2).data().toString().toStdString() ==
          figure_text(point.figures[0], "share"));
    CHECK(table.index(row, table.columnCount() - 1).data(SweepTable::sort_role).toBool() ==
          point.on_front);
  }
  CHECK(table.index(1, 4).data().toString() == "void");
  CHECK(table.index(1, 4).data(Qt::ToolTipRole).toString() == "left out");
}

TEST_CASE("Rows of hidden values go, and rows that come in later stay out too") {
  Finished sweep;
  SweepTable table;
  SweepOrder order;
  order.setSourceModel(&table);
  const QAbstractItemModelTester order_tester(&order, fatal);
  table.set_results(sweep.session.sweep(), sweep.some);
  HiddenValues hidden;
  hidden.set_hidden(1, "slide", true);
  order.set_hidden(hidden);
  CHECK(order.rowCount() == 1);
  table.set_results(sweep.session.sweep(), sweep.all);
  REQUIRE(order.rowCount() == 3);
  for (int row = 0; row < order.rowCount(); ++row)
    CHECK(order.index(row, 1).data().toString() == "none");
  order.set_front_only(true);
  CHECK(order.rowCount() < 3);
  order.set_front_only(false);
  order.set_hidden({});
  CHECK(order.rowCount() == 6);
}

TEST_CASE("Rows without a value stand last in both orders") {
  Finished sweep;
  SweepTable table;
  SweepOrder order;
  order.setSourceModel(&table);
  table.set_results(sweep.session.sweep(), sweep.all);
  for (const auto direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    order.sort(2, direction);
    CHECK(order.index(5, 4).data().toString() == "void");
    for (int row = 0; row + 2 < order.rowCount(); ++row) {
      const double here = order.index(row, 2).data(SweepTable::sort_role).toDouble();
      const double next = order.index(row + 1, 2).data(SweepTable::sort_role).toDouble();
      CHECK((direction == Qt::AscendingOrder ? here <= next : here >= next));
    }
  }
}
