// SPDX-License-Identifier: Apache-2.0
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <catch2/catch.hpp>
#include <string>

#include "gui/widgets/sweep/axis_cards.hpp"

using namespace vacancy;
using namespace vacancy::gui;

namespace {

QMenu& menu_of(const AxisCards& cards) {
  return *cards.findChild<QPushButton*>()->menu();
}

PointResult point(const std::string& value) {
  PointResult result;
  result.at = {{value, std::nullopt}};
  return result;
}

}  // namespace

TEST_CASE("A value that comes up later joins the menu and is seen") {
  Sweep sweep;
  sweep.sampling = PointList{};
  sweep.axes = {"policy & scope"};
  AxisCards cards;
  cards.set_sweep(&sweep);
  cards.set_results(sweep, nullptr);
  const auto* card = cards.findChild<QPushButton*>();
  CHECK(card->accessibleName() == QStringLiteral("Axis policy & scope: no values yet"));
  SweepResults results;
  results.points = {point("h2o & model")};
  cards.set_results(sweep, &results);
  QSignalSpy changes(&cards, &AxisCards::hidden_changed);
  QAction* const first = menu_of(cards).actions().back();
  CHECK(first->text() == QStringLiteral("h2o && model"));  // & alone would underline
  first->trigger();
  CHECK(changes.count() == 1);
  CHECK(cards.hidden().hides(results.points[0]));

  results.points.push_back(point("snapkv"));
  cards.set_results(sweep, &results);
  CHECK_FALSE(cards.hidden().hides(results.points[1]));
  CHECK(menu_of(cards).actions().back()->isChecked());
  CHECK_FALSE(first->isChecked());
  CHECK(card->accessibleName() == QStringLiteral("Axis policy & scope: snapkv · 1 of 2 hidden"));
}

TEST_CASE("Of very many values the menu has the first, and All has every one") {
  constexpr std::size_t values = 250, lines = 200;
  Sweep sweep;
  sweep.axes = {"chunk"};
  GridAxis axis{"chunk", {}};
  for (std::size_t i = 0; i < values; ++i)
    axis.values.push_back({{std::to_string(i), double(i)}, {}});
  sweep.sampling = Grid{{axis}};
  AxisCards cards;
  cards.set_sweep(&sweep);
  cards.set_results(sweep, nullptr);
  const auto actions = menu_of(cards).actions();
  REQUIRE(actions.size() == 2 + lines + 1);
  CHECK_FALSE(actions.back()->isEnabled());
  actions.front()->trigger();
  CHECK(cards.hidden().hides(point("249")));
  actions.front()->trigger();
  CHECK_FALSE(cards.hidden().hides(point("249")));
}
